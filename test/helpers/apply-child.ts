import { recover } from '../../src/engine/recover.ts';
import { applyPlan } from '../../src/engine/transaction.ts';
import { TenonError } from '../../src/errors/error.ts';
import { openStateFolder } from '../../src/state/folder.ts';
import { loadLedger } from '../../src/state/ledger-store.ts';
import { realSystem } from '../../src/system/real.ts';
import { ledgerOf } from './ledger.ts';
import { approvedPlan, filePlan } from './plan.ts';

// A process of its own that applies one plan of four files to the repository in argv[3], or recovers it, so that
// another can end it anywhere. Prints `code exit state`.

const [, , verb, root = ''] = process.argv;
const system = realSystem();
const state = openStateFolder(system);

async function main(): Promise<string> {
  if (verb === 'recover' || verb === 'undo')
    return (await recover(system, state, root, { undo: verb === 'undo' })).outcome;
  const plan = approvedPlan(
    root,
    [
      filePlan(system, root, '.mcp.json', '{ "mcpServers": { "vera": {} } }\n'),
      filePlan(system, root, 'linked.json', '{ "linked": true }\n', { inPlace: true }),
      filePlan(system, root, 'old/gone.json', undefined, { removeDirs: [`${root}/old`] }),
      filePlan(system, root, '.claude/skills/SKILL.md', '# vera\n', {
        order: 'early',
        mode: 0o755,
        makeDirs: [`${root}/.claude`, `${root}/.claude/skills`],
      }),
    ],
    { root: ledgerOf(root) },
  );
  const ledgerBases = { root: loadLedger(system, state, root).hash };
  await applyPlan(system, state, plan, { ledgerBases });
  return 'applied';
}

try {
  process.stdout.write(await main());
} catch (error) {
  if (!(error instanceof TenonError)) throw error;
  process.stdout.write(`${error.code} ${error.exit} ${error.state}`);
}
