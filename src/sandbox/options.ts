import type { ToolClass, ToolName, ToolProfile } from '../endpoint/tools.ts';
import type { Authority } from './auth.ts';
import type { SandboxProject } from './bootstrap.ts';
import type { GuardCode } from './errors.ts';
import type { Faults } from './faults.ts';
import type { TokenTwist } from './identity.ts';
import type { ListedTool } from './mcp.ts';
import type { Bucket } from './quota.ts';

/** What can change while the sandbox runs. */
export interface SandboxBehaviour {
  readonly toolProfile: ToolProfile;
  /** Without projects the caller has a personal scope only. */
  readonly projects: readonly SandboxProject[];
  readonly quotas: Readonly<Partial<Record<Bucket, number>>>;
  /** Errors on demand, by tool. */
  readonly toolErrors: Readonly<Partial<Record<ToolName, GuardCode>>>;
  readonly faults: Faults;
  readonly instructions: string;
  /** What a caller without a login may do. */
  readonly localClasses: readonly ToolClass[];
  readonly reshape: (tool: ListedTool) => ListedTool;
  readonly token: TokenTwist;
  /** Members put over those of the metadata documents; `undefined` removes one. */
  readonly resourceMetadata: Readonly<Record<string, unknown>>;
  readonly serverMetadata: Readonly<Record<string, unknown>>;
  /** The challenge of a 401; default points to the metadata, `null` sends none. */
  readonly challenge: string | null | undefined;
}

export interface SandboxOptions extends Partial<SandboxBehaviour> {
  readonly host?: '127.0.0.1' | '::1';
  /** 0 (the default): any free port. */
  readonly port?: number;
  readonly auth?: 'local-dev' | 'remote-authenticated';
  /** Answer with event streams instead of JSON. */
  readonly sse?: boolean;
  /** Sessions with an id instead of independent requests. */
  readonly stateful?: boolean;
  /** Accept only these Host values (default: the loopback names with this port). */
  readonly hosts?: readonly string[];
}

/** A request as the sandbox saw it, for tests; no header values. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authenticated: boolean;
}

export interface Sandbox {
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly port: number;
  /** The key that `/identity/mcp-token` takes; made up at every start. */
  readonly apiKey: string;
  /** Issues tokens; undefined in `local-dev`. */
  readonly authority: Authority | undefined;
  readonly seen: readonly SeenRequest[];
  update(changes: Partial<SandboxBehaviour>): void;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}
