import { z } from 'zod';
import { INSTANCE_NAME } from '../lib/instance-name.ts';
import { isSecretInput } from './secret-input.ts';

/** The committed manifest (contract, section 5). Strict: an unknown member is an error with its path. */
const Name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const Text = z.string().max(4096);
const InputName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
  .refine((name) => !isSecretInput(name), {
    error: 'a secret is no input: refer to an environment variable instead',
  });

const shared = {
  runtimes: z.array(Name).max(64),
  without: z.array(z.enum(['mcp', 'hooks', 'skills', 'permissions', 'blocks'])).default([]),
  external: z.array(Text).max(1000).default([]),
  excluded: z.array(Text).max(1000).default([]),
};

const Entry = z.strictObject({
  /** an instance under a name of its own: the definition that it is of */
  integration: z.string().min(1).max(512).optional(),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  ...shared,
  inputs: z.record(InputName, Text).default({}),
  overrides: z.record(z.string(), z.json()).default({}),
});

const Server = z
  .strictObject({
    ...shared,
    http: z.strictObject({ url: Text, headers: z.record(z.string(), Text).optional() }).optional(),
    stdio: z
      .strictObject({
        command: Text,
        args: z.array(Text).max(200).default([]),
        env: z.record(z.string(), Text).optional(),
      })
      .optional(),
  })
  .refine((server) => (server.http === undefined) !== (server.stdio === undefined), {
    error: 'needs either http or stdio',
  });

const Suppression = z.strictObject({
  code: z.string().regex(/^[a-z]+\/[a-z0-9-]+$/),
  subject: Text.optional(),
  reason: Text.min(1),
  expires: z.iso.date(),
});

const Integrations = z.record(z.string().max(512), Entry).superRefine((entries, context) => {
  for (const [name, { integration }] of Object.entries(entries)) {
    if (integration !== undefined && !INSTANCE_NAME.test(name))
      context.addIssue({ code: 'custom', path: [name], message: 'is no name for an instance' });
  }
});

export const ManifestSchema = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  minimumVersion: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/)
    .optional(),
  integrations: Integrations.default({}),
  servers: z.record(Name, Server).default({}),
  suppressions: z.array(Suppression).max(500).default([]),
});

export type Manifest = z.infer<typeof ManifestSchema>;
