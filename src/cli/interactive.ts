export type Env = Readonly<Record<string, string | undefined>>;

/** True in a continuous-integration job: `CI` is `1` or `true`, trimmed, in any case. */
export function isCi(env: Env): boolean {
  return ['1', 'true'].includes((env['CI'] ?? '').trim().toLowerCase());
}

export interface Terminal {
  readonly stdinTty: boolean;
  readonly stderrTty: boolean;
  readonly env: Env;
  readonly noInput: boolean;
  readonly json: boolean;
}

/**
 * The one gate for questions. Prompts read stdin and draw on stderr, so both must be terminals; a pipe can never
 * approve anything (requirements P12, S14).
 */
export function isInteractive(terminal: Terminal): boolean {
  return (
    terminal.stdinTty &&
    terminal.stderrTty &&
    !isCi(terminal.env) &&
    !terminal.noInput &&
    !terminal.json &&
    terminal.env['TERM'] !== 'dumb'
  );
}

/**
 * Colour of one stream: `--color`/`--no-color`, else FORCE_COLOR (`0` or `false` is off), else a non-empty NO_COLOR,
 * else TERM=dumb, else whether the stream is a terminal. A JSON document never has colour; under JSON NO_COLOR also
 * wins over FORCE_COLOR for what goes to stderr.
 */
export function useColor(
  env: Env,
  options: { readonly flag: boolean | undefined; readonly tty: boolean; readonly json: boolean },
): boolean {
  const noColor = (env['NO_COLOR'] ?? '') !== '';
  if (options.flag !== undefined) return options.flag;
  if (options.json && noColor) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined && force !== '') return force !== '0' && force.toLowerCase() !== 'false';
  if (noColor || env['TERM'] === 'dumb') return false;
  return options.tty;
}

/**
 * Whether glyphs beyond ASCII can be shown: not on the Linux console or a dumb terminal, not where the locale names
 * another encoding. No locale at all is taken as UTF-8, as current terminals do.
 */
export function useUnicode(env: Env, platform: NodeJS.Platform): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  if (platform === 'win32') return env['WT_SESSION'] !== undefined || env['TERM_PROGRAM'] !== undefined;
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}
