import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli } from '../helpers/cli.ts';
import { scratch } from '../helpers/repo.ts';

/**
 * The scripts of `tenon completion`, loaded by the shells themselves: what they would offer for a line that is being
 * typed. A shell that is not installed is skipped, by name.
 */
const has = (shell: string): boolean => spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0;
const titleOf = (shell: string): string =>
  has(shell) ? `in ${shell}` : `in ${shell} (skipped: ${shell} is not on PATH)`;

const folder = scratch();
const home = makeHome();
const bin = join(folder, 'bin');
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  mkdirSync(bin);
  mkdirSync(join(folder, 'functions'));
  writeFileSync(join(bin, 'tenon'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
  env = { ...cleanEnv(home), TERM: 'xterm' };
  env['PATH'] = `${bin}:${env['PATH']}`;
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, code } = await runCli(['completion', shell], { home });
    expect(code).toBe(0);
    writeFileSync(join(folder, `tenon.${shell}`), stdout);
    if (shell === 'zsh') writeFileSync(join(folder, 'functions', '_tenon'), stdout);
  }
});

/** What a shell is told before a line is typed: no prompt, all candidates at once, then the script. */
const PREPARED: Readonly<Record<string, { args: string[]; lines: string[] }>> = {
  bash: {
    args: ['--norc', '--noprofile', '-i'],
    lines: [
      "PS1=''; bind 'set completion-query-items 0'; bind 'set page-completions off'; bind 'set enable-bracketed-paste off'",
      `source '${folder}/tenon.bash'`,
    ],
  },
  zsh: {
    args: ['-f', '-i'],
    lines: [
      "PS1=''; LISTMAX=0; unset zle_bracketed_paste",
      `fpath=('${folder}/functions' $fpath); autoload -Uz compinit; compinit -u -d '${folder}/dump'`,
    ],
  },
};

/** Types the line and three tabs at a real prompt; done when the shell shows all of the words. */
async function typed(shell: string, line: string, words: readonly string[]): Promise<string> {
  const { args, lines } = PREPARED[shell] ?? { args: [], lines: [] };
  const terminal = spawnTerminal(shell, args, { cwd: folder, env, cols: 160, rows: 300, name: 'xterm' });
  let shown = '';
  let isTyped = false;
  try {
    return await new Promise((done, fail) => {
      const limit = setTimeout(
        () => fail(new Error(`${shell} never offered ${words.join(', ')}:\n${shown}`)),
        45_000,
      );
      terminal.onData((data) => {
        shown += stripVTControlCharacters(data);
        if (!isTyped && shown.includes('READY')) {
          isTyped = true;
          shown = '';
          terminal.write(`${line}\t\t\t`);
        } else if (isTyped && words.every((word) => shown.includes(word))) {
          clearTimeout(limit);
          done(shown);
        }
      });
      // The mark is not in the line that the shell echoes.
      terminal.write(`${[...lines, "echo RE''ADY"].join('\r')}\r`);
    });
  } finally {
    terminal.kill('SIGKILL');
  }
}

const CASES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['tenon ', COMMANDS.map(({ name }) => name)],
  ['tenon uni', ['tenon uninstall']],
  ['tenon doctor --form', ['tenon doctor --format']],
  ['tenon doctor --format sa', ['tenon doctor --format sarif']],
  ['tenon setup ve', ['vera', 'veritas']],
  ['tenon status --runtime cod', ['tenon status --runtime codex']],
  ['tenon explain config/malf', ['tenon explain config/malformed']],
  ['tenon completion z', ['tenon completion zsh']],
];

describe.each(['bash', 'zsh'])('completion', (shell) => {
  describe.skipIf(!has(shell))(titleOf(shell), () => {
    it.each(CASES)(
      '%s',
      async (line, words) => {
        await typed(shell, line, words);
      },
      120_000,
    );
  });
});

describe.skipIf(!has('fish'))(`completion ${titleOf('fish')}`, () => {
  it.each(CASES)(
    '%s',
    (line, words) => {
      const asked = `source '${folder}/tenon.fish'; complete -C '${line}'`;
      const run = spawnSync('fish', ['--no-config', '-c', asked], { cwd: folder, env, encoding: 'utf8' });
      expect(run.stderr).toBe('');
      const offered = run.stdout.split('\n').map((one) => one.split('\t')[0] ?? '');
      for (const word of words) expect(offered).toContain(word.split(' ').at(-1));
    },
    120_000,
  );
});
