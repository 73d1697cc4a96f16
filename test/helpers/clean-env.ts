/** What a run needs of the machine; everything else, marks of CI and of coding agents included, would leak into results. */
const NEEDED = /^(PATH|Path|TMPDIR|TEMP|TMP|SystemRoot|SYSTEMROOT|ComSpec|PATHEXT)$/;

/**
 * Answers are kept by the program as users have it. Most tests ask about the work behind an answer, and keeping one for each of
 * some thousand setups takes minutes, so it is off but where TENON_TEST_ANSWERS says `kept`, or `compare`: see runCli.
 */
const answers = (): Record<string, string> =>
  process.env['TENON_TEST_ANSWERS'] === undefined ? { TENON_ANSWERS: '0' } : {};

/** A complete environment for a child: the necessary variables, a home of its own, a UTF-8 terminal, no network proxy. */
export function cleanEnv(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const needed = Object.entries(process.env).filter(([name]) => NEEDED.test(name));
  return {
    ...(Object.fromEntries(needed) as Record<string, string>),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_STATE_HOME: `${home}/.local/state`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_CACHE_HOME: `${home}/.cache`,
    TENON_STATE_DIR: `${home}/.local/state/tenon`,
    GIT_CONFIG_GLOBAL: `${home}/.gitconfig`,
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TZ: 'UTC',
    ...answers(),
    ...extra,
  };
}
