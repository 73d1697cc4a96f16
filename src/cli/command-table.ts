import type { Outcome } from '../reporting/types.ts';
import type { Context } from './context.ts';
import { type FlagGroup, type FlagSpec, GLOBAL_FLAGS } from './flags.ts';

/** What a command may do to the world; shown in its help. */
export type Effect = 'reads' | 'writes' | 'state' | 'runs' | 'serves';

export interface CommandArgs {
  readonly positionals: readonly string[];
  /** Flags of this command alone, by camel-case name; the global ones are in the context. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Everything behind `--`, untouched; undefined when there was no `--`. */
  readonly rest?: readonly string[];
}

export type CommandRun = (context: Context, args: CommandArgs) => Promise<Outcome>;

export interface ArgumentSpec {
  readonly name: string;
  readonly required: boolean;
  readonly variadic?: true;
  readonly choices?: readonly string[];
  /** What shell completion offers. */
  readonly complete?: 'integrations' | 'runtimes' | 'codes' | 'files' | 'folders';
}

/** A way to call a command, with the flags that would mean nothing in it. */
export interface CommandForm {
  readonly is: (args: CommandArgs) => boolean;
  readonly refuses: readonly FlagSpec['long'][];
  /** The form in words, as the end of "… means nothing to". */
  readonly name: string;
  /** What the form looks at instead, and what to do. */
  readonly remedy: string;
}

export interface CommandSpec {
  readonly name: string;
  /** Heading in the list of commands. */
  readonly group: 'Set up' | 'Check' | 'Take out' | 'Consent' | 'Look up' | 'For tools and authors';
  /** One line, no full stop. */
  readonly summary: string;
  /** Two or three sentences more. */
  readonly detail: string;
  readonly effect: Effect;
  /** Contacts other hosts unless it is told not to. */
  readonly contacts?: true;
  /** Says the effect more exactly than the word. */
  readonly effectText?: string;
  readonly arguments: readonly ArgumentSpec[];
  /** `-- <command> [args…]` is allowed. */
  readonly takesRest?: true;
  readonly flags: readonly FlagSpec[];
  /** Groups of global flags that its help shows. */
  readonly groups: readonly FlagGroup[];
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  /** Which of the global flags that mean something only to some commands do so here; the others are refused. */
  readonly takes: readonly FlagSpec['long'][];
  /** Ways to call it in which flags, its own or global ones, would mean nothing although it takes them. */
  readonly forms?: readonly CommandForm[];
  /** Its output is what was asked for: --quiet does not silence it. */
  readonly isLookup?: true;
  /** stdout belongs to the command (a protocol): the reporter prints nothing on it. */
  readonly ownsStdout?: true;
  /** Loads the code; undefined: not in this version. */
  readonly load?: () => Promise<CommandRun>;
}

const WRITING: readonly FlagGroup[] = ['where', 'what', 'approval', 'network', 'output'];
const READING: readonly FlagGroup[] = ['where', 'output'];

const CHOOSING = ['--runtime', '--scope', '--set', '--without'] as const;
const APPROVING = ['--dry-run', '--yes', '--approve', '--allow'] as const;
const DECIDING = ['--resolve', '--force'] as const;

const isNamed = ({ positionals }: CommandArgs): boolean => positionals.length > 0;
const isScan = ({ positionals }: CommandArgs): boolean => positionals[0] === 'scan';

/** Every command of the contract, section 3, in the order of help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'setup',
    group: 'Set up',
    summary: 'fit an integration into the coding tools used here',
    detail:
      'Detects the coding tools, validates the endpoints, shows the exact change, asks once, writes only its own keys and blocks, and proves every file. An integration is a bundled id, a path such as ./tools/vera, or an installed package.',
    effect: 'writes',
    arguments: [{ name: 'integration', required: true, variadic: true, complete: 'integrations' }],
    flags: [
      {
        long: '--name',
        value: 'NAME',
        group: 'command',
        summary: 'a further instance under a name of its own; its server is called so',
      },
      {
        long: '--existing-token',
        group: 'command',
        summary: 'enter a token at the terminal, instead of an API key that is exchanged for one',
      },
      {
        long: '--rotate',
        group: 'command',
        summary: 'replace the token that an earlier setup wrote; entered at the terminal',
      },
      {
        long: '--local',
        group: 'command',
        summary: 'keep the inputs on this host, out of the manifest',
      },
    ],
    groups: WRITING,
    takes: [...CHOOSING, ...APPROVING, ...DECIDING],
    examples: [
      { line: 'tenon setup vera', says: 'at the terminal, everything asked' },
      { line: 'tenon setup vera --dry-run', says: 'only the plan' },
      { line: 'tenon setup vera --runtime codex --yes', says: 'in a script' },
      { line: 'tenon setup vera --local', says: 'inputs stay on this host' },
      { line: 'tenon setup vera --name vera-staging', says: 'a second one beside it' },
    ],
    load: async () => (await import('../commands/setup.ts')).run,
  },
  {
    name: 'add',
    group: 'Set up',
    summary: 'fit in one MCP server by URL or command',
    detail:
      'Like setup, for one server whose definition stands in the manifest. Tokens are named, never given: --token-env NAME.',
    effect: 'writes',
    arguments: [
      { name: 'name', required: true },
      { name: 'url', required: false },
    ],
    takesRest: true,
    flags: [
      {
        long: '--header',
        value: "'K: V'",
        repeat: true,
        group: 'command',
        summary: 'header of the server; refers to an environment variable, never a secret',
      },
      {
        long: '--env',
        value: 'K=V',
        repeat: true,
        group: 'command',
        summary: 'environment of the server; the same rule',
      },
      {
        long: '--token-env',
        value: 'NAME',
        group: 'command',
        summary: 'environment variable that holds the bearer token',
      },
    ],
    groups: WRITING,
    takes: ['--runtime', '--scope', '--without', ...APPROVING, ...DECIDING],
    examples: [
      { line: 'tenon add docs https://docs.example/mcp', says: 'a server on the network' },
      { line: 'tenon add docs https://docs.example/mcp --token-env DOCS_TOKEN', says: 'with a token' },
      { line: 'tenon add index -- node tools/index.mjs', says: 'a server that is started' },
    ],
    load: async () => (await import('../commands/add.ts')).run,
  },
  {
    name: 'plan',
    group: 'Set up',
    summary: 'show the plan of setup, or of sync when nothing is named, and its digest',
    detail:
      'Computes and shows; writes nothing but the file named by --out, which holds selections and digest.',
    effect: 'reads',
    effectText: 'reads; writes only FILE of --out',
    arguments: [{ name: 'integration', required: false, variadic: true, complete: 'integrations' }],
    flags: [
      {
        long: '--name',
        value: 'NAME',
        group: 'command',
        summary: 'of setup: a further instance under this name',
      },
      {
        long: '--out',
        value: 'FILE',
        group: 'command',
        summary: 'save selections and digest for tenon apply',
      },
      { long: '--patch', group: 'command', summary: 'print a patch for git apply', reads: true },
      {
        long: '--explain',
        group: 'command',
        summary: 'name the origin of every effective value',
        reads: true,
      },
    ],
    groups: WRITING,
    takes: [...CHOOSING, ...DECIDING],
    forms: [
      {
        is: (args) => !isNamed(args),
        refuses: [...CHOOSING, '--name'],
        name: 'tenon plan without an integration',
        remedy:
          'It shows what sync would do with all that is set up. Name an integration, or leave the flag out.',
      },
    ],
    examples: [
      { line: 'tenon plan vera', says: 'what setup would do' },
      { line: 'tenon plan vera --out vera.plan', says: 'to apply it later' },
      { line: 'tenon plan --json', says: 'what sync would do, for a program' },
    ],
    load: async () => (await import('../commands/plan.ts')).run,
  },
  {
    name: 'apply',
    group: 'Set up',
    summary: 'apply a saved plan, if it still comes out the same',
    detail:
      'Computes the plan again and refuses any other digest. Needs the same approval and trust as setup.',
    effect: 'writes',
    arguments: [{ name: 'planfile', required: true, complete: 'files' }],
    flags: [],
    groups: WRITING,
    takes: APPROVING,
    examples: [
      { line: 'tenon apply vera.plan', says: 'asks, then writes' },
      { line: 'tenon apply vera.plan --yes', says: 'in a script' },
    ],
    load: async () => (await import('../commands/apply.ts')).run,
  },
  {
    name: 'sync',
    group: 'Set up',
    summary: "bring what is set up to today's definitions",
    detail:
      'Edits of yours are kept and reported. With --check it writes nothing and exits 1 on any difference.',
    effect: 'writes',
    arguments: [],
    flags: [
      { long: '--check', group: 'command', summary: 'only say whether something differs; for CI' },
      { long: '--prune', group: 'command', summary: 'also remove what the definitions no longer hold' },
      {
        long: '--restore',
        value: 'ADDRESS',
        repeat: true,
        group: 'command',
        summary: 'bring back an entry that was removed by hand',
      },
    ],
    groups: WRITING,
    takes: ['--all-roots', ...APPROVING, ...DECIDING],
    forms: [
      {
        is: ({ flags }) => flags['check'] === true,
        refuses: ['--yes', '--approve', '--allow', ...DECIDING, '--prune', '--restore'],
        name: 'tenon sync --check',
        remedy: 'It only says whether something differs. Leave out the flag, or --check.',
      },
    ],
    examples: [
      { line: 'tenon sync', says: 'shows the plan, asks' },
      { line: 'tenon sync --check', says: 'in CI' },
      { line: 'tenon sync --restore .mcp.json#/mcpServers/vera', says: 'one entry back' },
    ],
    load: async () => (await import('../commands/sync.ts')).run,
  },
  {
    name: 'status',
    group: 'Check',
    summary: 'what is managed here, missing, or edited',
    detail: 'Per coding tool and scope. Exits 1 when something needs attention.',
    effect: 'reads',
    arguments: [],
    flags: [],
    groups: READING,
    takes: ['--all-roots', '--runtime'],
    examples: [
      { line: 'tenon status', says: 'this repository' },
      { line: 'tenon status --all-roots --json', says: 'every root of a monorepo, for a program' },
    ],
    load: async () => (await import('../commands/status.ts')).run,
  },
  {
    name: 'doctor',
    group: 'Check',
    summary: 'diagnose configuration, ownership, trust, hooks, secrets and endpoints',
    detail:
      'Every finding comes with its remedy. Contacts only endpoints that this host set up; nothing with --offline. What was not checked is a skip, never a pass.',
    effect: 'reads',
    contacts: true,
    effectText:
      'reads; contacts endpoints unless --offline; starts coding tools and trusted servers only with --clients; writes only FILE of --bundle',
    arguments: [],
    flags: [
      {
        long: '--bundle',
        value: 'FILE',
        group: 'command',
        summary: 'save a support file without secrets, private paths and addresses',
      },
    ],
    groups: ['where', 'network', 'output'],
    takes: ['--all-roots', '--runtime', '--live', '--clients'],
    examples: [
      { line: 'tenon doctor', says: 'this repository' },
      { line: 'tenon doctor --offline --format github', says: 'annotations in a pull request' },
      { line: 'tenon doctor --clients', says: 'ask the coding tools themselves' },
    ],
    load: async () => (await import('../commands/doctor.ts')).run,
  },
  {
    name: 'uninstall',
    group: 'Take out',
    summary: 'take out what tenon wrote; keep and report what was edited',
    detail:
      'Every file is byte for byte what it was before; where someone edited since, only unchanged spans of tenon go.',
    effect: 'writes',
    arguments: [{ name: 'integration', required: false, variadic: true, complete: 'integrations' }],
    flags: [],
    groups: WRITING,
    takes: ['--runtime', '--scope', ...APPROVING, ...DECIDING],
    examples: [
      { line: 'tenon uninstall vera', says: 'shows the plan, asks' },
      { line: 'tenon uninstall --dry-run', says: 'what would go' },
    ],
    load: async () => (await import('../commands/uninstall.ts')).run,
  },
  {
    name: 'undo',
    group: 'Take out',
    summary: 'take back the last applied plan, if its files are unchanged since',
    detail: 'Works from the backups of the last plan of this root.',
    effect: 'writes',
    arguments: [],
    flags: [],
    groups: ['where', 'approval', 'output'],
    takes: APPROVING,
    examples: [{ line: 'tenon undo', says: 'shows what comes back, asks' }],
    load: async () => (await import('../commands/undo.ts')).run,
  },
  {
    name: 'recover',
    group: 'Take out',
    summary: 'finish or undo an interrupted apply',
    detail: 'Touches a file only if its bytes are the recorded ones from before or after.',
    effect: 'writes',
    effectText: 'writes files at once; the interrupted plan was approved before',
    arguments: [],
    flags: [{ long: '--undo', group: 'command', summary: 'go back to the state before' }],
    groups: ['where', 'approval', 'output'],
    takes: ['--dry-run', '--yes'],
    examples: [
      { line: 'tenon recover', says: 'finish where every staged file proves, else undo' },
      { line: 'tenon recover --undo', says: 'go back' },
    ],
    load: async () => (await import('../commands/recover.ts')).run,
  },
  {
    name: 'disable',
    group: 'Take out',
    summary: "switch an integration off with the coding tool's own switch",
    detail: 'Through a plan. Where the tool has no switch, its own steps are printed.',
    effect: 'writes',
    arguments: [{ name: 'integration', required: true, complete: 'integrations' }],
    flags: [],
    groups: WRITING,
    takes: ['--runtime', ...APPROVING, ...DECIDING],
    examples: [{ line: 'tenon disable vera --runtime codex', says: 'off for one tool' }],
    load: async () => (await import('../commands/switch.ts')).disable,
  },
  {
    name: 'enable',
    group: 'Take out',
    summary: 'switch it on again',
    detail: 'The inverse of disable.',
    effect: 'writes',
    arguments: [{ name: 'integration', required: true, complete: 'integrations' }],
    flags: [],
    groups: WRITING,
    takes: ['--runtime', ...APPROVING, ...DECIDING],
    examples: [{ line: 'tenon enable vera', says: 'on again' }],
    load: async () => (await import('../commands/switch.ts')).enable,
  },
  {
    name: 'trust',
    group: 'Consent',
    summary: 'show what this repository wants to install, and ask',
    detail:
      'Content that comes from a repository is inert until a person trusts it on this host. Only a terminal can grant. "tenon trust scan" lists everything in the repository that coding tools would run or obey, with one digest for CI.',
    effect: 'state',
    effectText: "changes only tenon's state on this host",
    arguments: [{ name: 'integration', required: false, variadic: true, complete: 'integrations' }],
    flags: [
      {
        long: '--name',
        value: 'NAME',
        group: 'command',
        summary: 'of setup: a further instance under this name',
      },
      {
        long: '--list',
        group: 'command',
        summary: 'list the grants of this root, with --all-roots of this host',
      },
      {
        long: '--revoke',
        value: 'ID',
        optional: true,
        group: 'command',
        summary: 'take back a grant, or all of this root',
      },
      {
        long: '--check',
        value: 'DIGEST',
        group: 'command',
        summary: 'with scan: exit 1 when the digest differs',
      },
    ],
    groups: ['where', 'what', 'output'],
    takes: ['--all-roots', ...CHOOSING, '--yes'],
    forms: [
      {
        is: isScan,
        refuses: [...CHOOSING, '--name', '--list', '--revoke'],
        name: 'tenon trust scan',
        remedy: 'It lists the whole repository, for all coding tools. Leave the flag out.',
      },
      {
        is: (args) => !isNamed(args) || args.flags['list'] === true || args.flags['revoke'] !== undefined,
        refuses: [...CHOOSING, '--name'],
        name: 'tenon trust without an integration',
        remedy: 'It takes all that is set up here. Name an integration, or leave the flag out.',
      },
      {
        is: isNamed,
        refuses: ['--list', '--revoke'],
        name: 'tenon trust with the name of an integration',
        remedy: 'Grants are listed all together, and taken back by their id: tenon trust --revoke ID.',
      },
      {
        is: ({ flags }) => flags['list'] !== true,
        refuses: ['--all-roots'],
        name: 'tenon trust without --list',
        remedy: 'Consent is given for one root at a time; name it with --root DIR.',
      },
      {
        is: (args) => !isScan(args),
        refuses: ['--check'],
        name: 'tenon trust without scan',
        remedy: 'Write tenon trust scan --check DIGEST.',
      },
    ],
    examples: [
      { line: 'tenon trust', says: 'read, then decide' },
      { line: 'tenon trust --list', says: 'what was granted' },
      { line: 'tenon trust ./tools/acme --runtime codex', says: 'before its setup' },
      { line: 'tenon trust scan --json', says: 'for CI' },
    ],
    load: async () => (await import('../commands/trust.ts')).run,
  },
  {
    name: 'adopt',
    group: 'Consent',
    summary: 'take ownership of equal entries without writing the file',
    detail: 'For a clone whose entries were written elsewhere: afterwards uninstall can take them out.',
    effect: 'state',
    effectText: "changes only tenon's state and the manifest",
    arguments: [{ name: 'address', required: false, variadic: true }],
    flags: [],
    groups: ['where', 'approval', 'output'],
    takes: [...APPROVING, ...DECIDING],
    examples: [
      { line: 'tenon adopt', says: 'everything adoptable' },
      { line: 'tenon adopt .mcp.json#/mcpServers/vera', says: 'one entry' },
    ],
    load: async () => (await import('../commands/adopt.ts')).run,
  },
  {
    name: 'forget',
    group: 'Consent',
    summary: 'drop ownership without writing the file',
    detail: 'The entry stays where it is and becomes yours; sync leaves it alone.',
    effect: 'state',
    effectText: "changes only tenon's state and the manifest",
    arguments: [{ name: 'address', required: true, variadic: true }],
    flags: [],
    groups: ['where', 'approval', 'output'],
    takes: [...APPROVING, ...DECIDING],
    examples: [{ line: 'tenon forget .mcp.json#/mcpServers/vera', says: 'one entry' }],
    load: async () => (await import('../commands/forget.ts')).run,
  },
  {
    name: 'runtimes',
    isLookup: true,
    group: 'Look up',
    summary: 'the coding tools that are supported, and those detected here',
    detail: 'With an id: files, features, evidence and limits of one.',
    effect: 'reads',
    arguments: [{ name: 'id', required: false, complete: 'runtimes' }],
    flags: [],
    groups: READING,
    takes: [],
    examples: [
      { line: 'tenon runtimes', says: 'all of them' },
      { line: 'tenon runtimes codex', says: 'one in detail' },
    ],
    load: async () => (await import('../commands/runtimes.ts')).run,
  },
  {
    name: 'explain',
    isLookup: true,
    group: 'Look up',
    summary: 'what a code means and what to do',
    detail: 'Works offline.',
    effect: 'reads',
    arguments: [{ name: 'code', required: false, complete: 'codes' }],
    flags: [],
    groups: ['output'],
    takes: [],
    examples: [
      { line: 'tenon explain config/malformed', says: 'one code' },
      { line: 'tenon explain', says: 'all of them' },
    ],
    load: async () => (await import('../commands/explain.ts')).run,
  },
  {
    name: 'history',
    isLookup: true,
    group: 'Look up',
    summary: 'the plans that were applied here',
    detail: 'Kept on this host, outside the repository.',
    effect: 'reads',
    arguments: [],
    flags: [],
    groups: READING,
    takes: [],
    examples: [{ line: 'tenon history', says: 'newest first' }],
    load: async () => (await import('../commands/history.ts')).run,
  },
  {
    name: 'state',
    group: 'Look up',
    summary: "export, import or repair tenon's state on this host",
    detail: 'The state holds fingerprints and what tenon wrote, no secrets.',
    effect: 'state',
    effectText: "export reads; import and repair change only tenon's state",
    arguments: [
      { name: 'action', required: true, choices: ['export', 'import', 'repair'] },
      { name: 'file', required: false, complete: 'files' },
    ],
    flags: [],
    groups: READING,
    takes: [],
    examples: [
      { line: 'tenon state export state.json', says: 'before moving a checkout' },
      { line: 'tenon state repair', says: 'after an error names it' },
    ],
    load: async () => (await import('../commands/state.ts')).run,
  },
  {
    name: 'certify',
    group: 'For tools and authors',
    summary: 'prove a coding tool against the real client, in a scratch repository',
    detail:
      'Starts the installed client in a scratch repository with a scratch home: it lists what tenon set up, reaches it on this machine where its list does, and lists what it did before once tenon took it out. The evidence is kept on this host and bound to this build of the client. Exits 1 when something did not hold.',
    effect: 'runs',
    effectText: 'runs the client in a scratch repository, on loopback; records evidence on this host',
    arguments: [{ name: 'runtime', required: true, complete: 'runtimes' }],
    flags: [],
    groups: ['output'],
    takes: [],
    examples: [
      { line: 'tenon certify codex', says: 'one tool' },
      { line: 'tenon certify codex --json', says: 'the steps, for a program' },
    ],
    load: async () => (await import('../commands/certify.ts')).run,
  },
  {
    name: 'sandbox',
    isLookup: true,
    group: 'For tools and authors',
    summary: 'a VERA-compatible endpoint on this machine, for trying out and tests',
    detail: 'Listens on loopback alone and keeps nothing.',
    effect: 'serves',
    effectText: 'serves on 127.0.0.1 until it is ended',
    arguments: [],
    flags: [
      { long: '--port', value: 'N', group: 'command', summary: 'port; 0 for any free one' },
      {
        long: '--auth',
        value: 'PROFILE',
        choices: ['local-dev', 'remote-authenticated'],
        group: 'command',
        summary: 'whether callers have to log in; default: local-dev',
      },
      {
        long: '--fault',
        value: 'PLACE=KIND',
        repeat: true,
        group: 'command',
        summary: 'answer wrongly at a place, e.g. mcp=hang, ready=503; repeatable',
      },
    ],
    groups: ['output'],
    takes: [],
    examples: [
      { line: 'tenon sandbox --port 0 --json', says: 'prints its URLs on one line' },
      {
        line: 'tenon sandbox --fault mcp=stall',
        says: 'an endpoint that begins an answer and never ends it',
      },
    ],
    load: async () => {
      const { sandboxOptions, runSandbox } = await import('../commands/sandbox.ts');
      return (context, { flags }) => runSandbox(context, sandboxOptions(flags));
    },
  },
  {
    name: 'mcp',
    group: 'For tools and authors',
    summary: "tenon's own MCP server on stdio: read-only verbs for agents",
    detail: 'stdout carries the protocol.',
    effect: 'serves',
    effectText: 'serves on stdio until it is ended; reads only',
    arguments: [],
    flags: [
      {
        long: '--parent-pid',
        value: 'PID',
        group: 'command',
        summary: 'end when this process is gone; default: the one that started this',
      },
    ],
    groups: ['where'],
    takes: [],
    ownsStdout: true,
    examples: [{ line: 'tenon add tenon -- tenon mcp', says: 'for the agents of this repository' }],
    load: async () => (await import('../commands/mcp.ts')).run,
  },
  {
    name: 'new',
    group: 'For tools and authors',
    summary: 'start an integration or the spec of a coding tool',
    detail: 'Writes new files only; an existing one is never touched.',
    effect: 'writes',
    effectText: 'writes new files only',
    arguments: [
      { name: 'kind', required: true, choices: ['integration', 'runtime'] },
      { name: 'id', required: true },
    ],
    flags: [],
    groups: ['where', 'approval', 'output'],
    takes: ['--dry-run'],
    examples: [{ line: 'tenon new integration acme', says: 'a folder to fill in' }],
    load: async () => (await import('../commands/new.ts')).run,
  },
  {
    name: 'validate',
    group: 'For tools and authors',
    summary: 'check the folder of an integration or a spec',
    detail:
      'Names file, line and field of every fault, and rehearses setup and uninstall for every coding tool in memory. A spec is named by its file.',
    effect: 'reads',
    arguments: [{ name: 'folder', required: true, complete: 'folders' }],
    flags: [],
    groups: READING,
    takes: ['--runtime'],
    examples: [
      { line: 'tenon validate ./tools/acme', says: 'before it is used' },
      { line: 'tenon validate specs/acme.json', says: 'the spec of a coding tool' },
    ],
    load: async () => (await import('../commands/validate.ts')).run,
  },
  {
    name: 'completion',
    isLookup: true,
    group: 'For tools and authors',
    summary: 'print the completion script of a shell',
    detail: 'The script holds every command and flag; it starts nothing while you type.',
    effect: 'reads',
    arguments: [{ name: 'shell', required: true, choices: ['bash', 'zsh', 'fish'] }],
    flags: [],
    groups: ['output'],
    takes: [],
    examples: [
      { line: 'tenon completion bash > ~/.local/share/bash-completion/completions/tenon', says: 'bash' },
      { line: 'tenon completion fish > ~/.config/fish/completions/tenon.fish', says: 'fish' },
    ],
    load: async () => (await import('../commands/completion.ts')).run,
  },
];

export const findCommand = (name: string): CommandSpec | undefined =>
  COMMANDS.find((command) => command.name === name);

/** Global flags that would mean nothing to a command, and are refused rather than ignored. */
export const refusedBy = ({ takes }: CommandSpec): readonly FlagSpec[] =>
  GLOBAL_FLAGS.filter(({ long, forSome }) => forSome === true && !takes.includes(long));
