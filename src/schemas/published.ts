import { z } from 'zod';
import { COMMANDS } from '../cli/command-table.ts';
import { IntegrationSchema } from '../integrations/schema.ts';
import { ManifestSchema } from '../manifest/schema.ts';
import { RuntimeSpecSchema } from '../runtimes/schema.ts';
import { LedgerSchema } from '../state/schema.ts';
import { documentSchema, PlanFileSchema } from './documents.ts';

/** File below `schema/` -> JSON Schema of draft 7, which editors know best. Deterministic. */
export function publishedSchemas(): Readonly<Record<string, object>> {
  const commands = COMMANDS.filter(({ ownsStdout }) => ownsStdout !== true).map(({ name }) => name);
  const schemas: Readonly<Record<string, readonly [string, z.ZodType]>> = {
    'runtime-spec.json': ['Spec of a coding tool: specs/<id>.json', RuntimeSpecSchema],
    'integration.json': ['Integration: integration.json of its folder', IntegrationSchema],
    'manifest.json': ['What a repository has set up: .tenon/manifest.json', ManifestSchema],
    'ledger.json': ['What tenon wrote on this host; in its state folder', LedgerSchema],
    'plan-file.json': ['A plan saved by tenon plan --out', PlanFileSchema],
    'document.json': ['What --json prints', documentSchema(commands)],
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([file, [title, schema]]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, {
        target: 'draft-7',
        io: 'input',
        unrepresentable: 'any',
        reused: 'ref',
      });
      return [file, { $schema, title, ...rest }];
    }),
  );
}
