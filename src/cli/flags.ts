/** Headings of help, in this order. */
export const FLAG_GROUPS = {
  command: 'Flags of this command',
  where: 'Where',
  what: 'What',
  approval: 'Approval',
  network: 'Network',
  output: 'Output',
  other: 'Other',
} as const;

export type FlagGroup = keyof typeof FLAG_GROUPS;

/** One flag, as data: parser, help, completion and documentation are made from it. */
export interface FlagSpec {
  readonly long: `--${string}`;
  readonly short?: `-${string}`;
  /** Name of its value in help; a flag without it is a switch. */
  readonly value?: string;
  /** The value may be left out. */
  readonly optional?: true;
  readonly repeat?: true;
  readonly choices?: readonly string[];
  readonly group: FlagGroup;
  readonly summary: string;
  /** Agents may give it over MCP: it only says what to look at, and nothing is written, started or contacted for it. */
  readonly reads?: true;
  /** Of a global flag: it means something only to the commands that name it (`takes`); the others refuse it. */
  readonly forSome?: true;
}

/** Flags of the whole program, before or after the name of a command (contract, section 3). */
export const GLOBAL_FLAGS: readonly FlagSpec[] = [
  { long: '--cwd', short: '-C', value: 'DIR', group: 'where', summary: 'run as if started in DIR' },
  {
    long: '--root',
    value: 'DIR',
    group: 'where',
    summary: "target folder; default: the repository's top level",
  },
  {
    long: '--all-roots',
    group: 'where',
    summary:
      'every folder that has something set up (status, doctor, sync, trust --list); not looked into: hidden folders, node_modules, bower_components, vendor, target, dist, build, __pycache__',
    forSome: true,
  },
  {
    long: '--runtime',
    value: 'ID',
    repeat: true,
    group: 'where',
    summary: 'coding tool; repeatable; "all" for every one (in a setup, every one that is found)',
    reads: true,
    forSome: true,
  },
  {
    long: '--scope',
    value: 'SCOPE',
    choices: ['project', 'local', 'user'],
    group: 'where',
    summary: 'project (committed), local (this checkout) or user (home); default: project',
    reads: true,
    forSome: true,
  },
  {
    long: '--set',
    value: 'KEY=VALUE',
    repeat: true,
    group: 'what',
    summary: 'value of an input; never a secret',
    reads: true,
    forSome: true,
  },
  {
    long: '--without',
    value: 'PARTS',
    repeat: true,
    group: 'what',
    summary: 'leave out mcp, hooks, skills, permissions or blocks; recorded',
    reads: true,
    forSome: true,
  },
  {
    long: '--dry-run',
    short: '-n',
    group: 'approval',
    summary: 'show the plan, write nothing',
    forSome: true,
  },
  {
    long: '--yes',
    short: '-y',
    group: 'approval',
    summary: 'approve project files from bundled or trusted content; resolves nothing, grants no trust',
    forSome: true,
  },
  {
    long: '--approve',
    value: 'DIGEST',
    group: 'approval',
    summary: 'approve exactly the plan with this sha256: digest',
    forSome: true,
  },
  {
    long: '--allow',
    value: 'CLASS',
    repeat: true,
    choices: ['user-files'],
    group: 'approval',
    summary: 'allow user-files: files outside the repository',
    forSome: true,
  },
  {
    long: '--resolve',
    value: 'ADDRESS=CHOICE',
    repeat: true,
    group: 'approval',
    summary: 'decide a conflict: keep, replace or follow',
    forSome: true,
  },
  {
    long: '--force',
    value: 'ADDRESS',
    repeat: true,
    group: 'approval',
    summary: 'restore or remove what was edited there',
    forSome: true,
  },
  { long: '--offline', group: 'network', summary: 'contact nothing', reads: true },
  { long: '--online', group: 'network', summary: 'contact every endpoint shown' },
  { long: '--live', group: 'network', summary: 'authenticated checks', forSome: true },
  {
    long: '--clients',
    group: 'network',
    summary: 'start coding tools and trusted servers to check',
    forSome: true,
  },
  {
    long: '--timeout',
    value: 'MS',
    group: 'network',
    summary: 'limit of one request in milliseconds; default: 5000',
  },
  { long: '--json', group: 'output', summary: 'exactly one JSON document on stdout; never asks' },
  {
    long: '--format',
    value: 'FORMAT',
    choices: ['text', 'json', 'sarif', 'junit', 'github', 'html'],
    group: 'output',
    summary: 'form of the report',
  },
  { long: '--strict', group: 'output', summary: 'warnings raise the exit code too', reads: true },
  { long: '--no-input', group: 'output', summary: 'never ask' },
  { long: '--show-paths', group: 'output', summary: 'absolute paths instead of ~' },
  { long: '--quiet', short: '-q', group: 'output', summary: 'only problems' },
  { long: '--debug', group: 'output', summary: 'what is read and written, on stderr; never contents' },
  { long: '--color', group: 'output', summary: 'colour, whatever the terminal says' },
  { long: '--no-color', group: 'output', summary: 'no colour' },
  { long: '--version', short: '-V', group: 'other', summary: 'print the version' },
  { long: '--help', short: '-h', group: 'other', summary: 'print help' },
];

/** `--token-env` -> `tokenEnv`, `--no-input` -> `input`: the key under which a parsed flag is found. */
export function flagKey(long: string): string {
  return long.replace(/^--(no-)?/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
