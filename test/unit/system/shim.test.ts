import { describe, expect, it } from 'vitest';
import { startOf } from '../../../src/system/shim.ts';

const windows = { platform: 'win32', env: { SystemRoot: 'D:\\WIN' } } as const;
const SHIM = 'C:\\Users\\Jane Doe\\AppData\\Roaming\\npm\\claude.cmd';

describe('startOf', () => {
  it('starts a program as it is, on Windows too', () => {
    const args = ['mcp', '%PATH%'];
    for (const host of [windows, { platform: 'linux', env: {} } as const])
      expect(startOf('C:\\bin\\codex.exe', args, host)).toEqual({ command: 'C:\\bin\\codex.exe', args });
    expect(startOf('/bin/x.cmd', args, { platform: 'linux', env: {} })).toEqual({
      command: '/bin/x.cmd',
      args,
    });
  });
  it('starts a shim of npm through the cmd of the system, each part in quotes', () => {
    expect(startOf(SHIM, ['mcp', 'list', '--json'], windows)).toEqual({
      command: 'D:\\WIN\\System32\\cmd.exe',
      args: ['/d', '/s', '/c', `""${SHIM}" "mcp" "list" "--json""`],
      windowsVerbatimArguments: true,
    });
    expect(startOf('c:\\x.BAT', [], { platform: 'win32', env: {} })?.command).toBe(
      'C:\\Windows\\System32\\cmd.exe',
    );
  });
  it.each([['%PATH%'], ['a"b'], ['a&b'], ['a|b'], ['^'], ['a!b!'], ['a\nb'], ['>x'], ['ends\\']])(
    'starts none with what cmd could take for its own: %j',
    (arg) => expect(startOf(SHIM, [arg], windows)).toBeUndefined(),
  );
  it('starts no shim in a folder whose name cmd would expand', () => {
    expect(startOf('C:\\%TEMP%\\claude.cmd', [], windows)).toBeUndefined();
  });
});
