import type { RuntimeSpec } from './schema.ts';

/** What the shape of `list` cannot say: it belongs to the program of the spec, and uses nothing that it forbids itself. */
export function* checkList({ list, detect, version }: RuntimeSpec): Generator<string> {
  if (list === undefined) return;
  const [program = '', ...words] = list.command;
  if (!detect.binaries.includes(program)) yield `list.command: ${program} is none of detect.binaries`;
  if (version === undefined) yield 'list: needs version, because another program may have the name';
  const line = [program, ...words].join(' ');
  for (const { command } of list.never) {
    if (`${line} `.startsWith(`${command} `)) yield `list.command: ${command} is never used`;
  }
  if (list.starts !== 'nothing' && list.proves !== 'connected')
    yield 'list.proves: a command that starts servers tries to reach them';
  const { output } = list;
  if (output.form !== 'lines') return;
  if (!output.entry.includes('(?<name>')) yield 'list.output.entry: has no group name';
  if (!output.entry.includes('(?<state>') && output.otherwise === undefined)
    yield 'list.output.otherwise: missing, and entry has no group state';
}
