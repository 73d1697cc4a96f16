/** Hook items and permission rules of each client, by hand; see entries.ts. */
import { z } from 'zod';

const handler = { type: z.literal('command'), command: z.string().min(1), timeout: z.number().positive() };
const group = (more: Record<string, z.ZodType> = {}): z.ZodType =>
  z.strictObject({
    matcher: z.string().min(1).optional(),
    hooks: z.array(z.strictObject({ ...handler, ...more })).length(1),
  });

export interface HookShape {
  readonly path: string;
  readonly at: readonly string[];
  readonly item: z.ZodType;
  /** bounds of a 5 second limit in the client's unit */
  readonly five: 5 | 5000;
}

/** Where a session-start hook stands in each client that runs one from a file. */
export const SESSION_START: Readonly<Record<string, HookShape>> = {
  'claude-code': { path: '.claude/settings.json', at: ['hooks', 'SessionStart'], item: group(), five: 5 },
  codex: {
    path: '.codex/hooks.json',
    at: ['hooks', 'SessionStart'],
    item: group({ commandWindows: z.string().optional() }),
    five: 5,
  },
  'gemini-cli': { path: '.gemini/settings.json', at: ['hooks', 'SessionStart'], item: group(), five: 5000 },
  'qwen-code': { path: '.qwen/settings.json', at: ['hooks', 'SessionStart'], item: group(), five: 5000 },
  'copilot-cli': {
    path: '.github/hooks/tenon.json',
    at: ['hooks', 'sessionStart'],
    item: z.strictObject({
      type: z.literal('command'),
      bash: z.string().min(1),
      timeoutSec: z.number().positive(),
    }),
    five: 5,
  },
};

/** The rule that makes a client ask before `pantry`'s tool `put`: path of file, place, value. */
export const ASK: Readonly<Record<string, readonly [string, readonly string[], unknown]>> = {
  'claude-code': ['.claude/settings.json', ['permissions', 'ask'], 'mcp__pantry__put'],
  codex: ['.codex/config.toml', ['mcp_servers', 'pantry', 'default_tools_approval_mode'], 'writes'],
  opencode: ['opencode.json', ['permission', 'pantry_put'], 'ask'],
  'qwen-code': ['.qwen/settings.json', ['permissions', 'ask'], 'mcp__pantry__put'],
  amp: ['.amp/settings.json', ['amp.permissions'], { tool: 'mcp__pantry__put', action: 'ask' }],
};
