// npm start: shows on a scratch repository what tenon does. Needs Node and git; touches nothing of yours.
import { spawnSync } from 'node:child_process';
import { BIN, build, ensureInstalled } from './project.mjs';
import { differences, makeScratch, snapshot, startSandbox } from './scratch.mjs';

const failures = [];

function headline(text) {
  console.log(`\n${'='.repeat(72)}\n${text}\n${'='.repeat(72)}\n`);
}

/** Runs the built program in the scratch repository with its output shown, and notes an unexpected exit code. */
function tenon(scratch, args, expected) {
  console.log(`$ tenon ${args.join(' ')}\n`);
  const result = spawnSync(process.execPath, [BIN, ...args], {
    cwd: scratch.repo,
    env: scratch.env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  console.log(`\n(exit code ${result.status})`);
  if (!expected.includes(result.status)) failures.push(`tenon ${args[0]} ended with ${result.status}`);
}

function check(title, lines) {
  const ok = lines.length === 0;
  console.log(`${ok ? 'yes' : 'NO '}  ${title}`);
  for (const line of lines) console.log(`       ${line}`);
  if (!ok) failures.push(title);
}

async function demonstrate(scratch) {
  const sandbox = await startSandbox(scratch.env);
  try {
    const setup = [
      'setup',
      'vera',
      ...['--set', `VERA_API_URL=${sandbox.apiUrl}`, '--set', `VERA_MCP_URL=${sandbox.mcpUrl}`],
      ...['--runtime', 'claude-code', '--runtime', 'codex', '--runtime', 'opencode'],
    ];
    const before = snapshot(scratch.repo);
    headline('1  The plan: nothing is written');
    tenon(scratch, ['plan', ...setup.slice(1)], [0]);
    const planned = snapshot(scratch.repo);
    headline('2  Setup: approved with --yes, since nobody is asked here');
    tenon(scratch, [...setup, '--yes'], [0]);
    const first = snapshot(scratch.repo);
    headline('3  Doctor (1 only means that it found something to tell)');
    tenon(scratch, ['doctor'], [0, 1]);
    headline('4  The same setup again: nothing to do');
    tenon(scratch, [...setup, '--yes'], [0]);
    const second = snapshot(scratch.repo);
    headline('5  Uninstall');
    tenon(scratch, ['uninstall', 'vera', '--yes'], [0]);
    const after = snapshot(scratch.repo);
    headline('Is it true?');
    check('the plan wrote nothing', differences(before, planned));
    check('setup changed files', differences(before, first).length > 0 ? [] : ['no file differs']);
    check('the second setup changed no byte', differences(first, second));
    check('after uninstall every file is byte for byte as before', differences(before, after));
  } finally {
    sandbox.stop();
  }
}

try {
  ensureInstalled();
  build();
  const scratch = makeScratch();
  try {
    await demonstrate(scratch);
  } finally {
    scratch.remove();
  }
} catch (error) {
  failures.push(error instanceof Error ? error.message : String(error));
}
console.log(
  failures.length === 0
    ? '\nAll of it holds.'
    : `\nThis did not hold:\n${failures.map((line) => `  ${line}`).join('\n')}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
