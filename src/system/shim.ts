import type { Host } from './ports.ts';

/** How a program is started: the file for `spawn`, and whether the arguments are already one Windows command line. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly windowsVerbatimArguments?: true;
}

/** An argument that means the same to `cmd` inside quotes, and is taken for no switch of it. */
const PLAIN = /^[\w@.,:;=+/\\ ()[\]{}~#$*?-]*$/;
/** What `cmd` expands inside quotes too. */
const EXPANDS = /["%!^\r\n\0]/;

/**
 * How a program is started on a platform. npm installs programs as `.cmd` shims on Windows; Node starts none of those
 * without a shell (CVE-2024-27980, `EINVAL`), so they go through `cmd /d /s /c "…"` with every part in quotes. Undefined
 * where a part holds what `cmd` would expand or end a quote at: such a launch is refused, never guessed.
 */
export function startOf(
  command: string,
  args: readonly string[],
  host: Pick<Host, 'env' | 'platform'>,
): Launch | undefined {
  if (host.platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(command)) return { command, args };
  if (EXPANDS.test(command) || !args.every((arg) => PLAIN.test(arg) && !arg.endsWith('\\'))) return undefined;
  const line = [command, ...args].map((part) => `"${part}"`).join(' ');
  const system = Object.entries(host.env).find(([name]) => name.toUpperCase() === 'SYSTEMROOT')?.[1];
  return {
    command: `${system ?? 'C:\\Windows'}\\System32\\cmd.exe`,
    args: ['/d', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
}
