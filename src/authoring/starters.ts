import { CAPABILITIES } from '../runtimes/capabilities.ts';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The files of a new integration: path below its folder -> text. A server by URL, a skill, and nothing else. */
export function integrationStarter(id: string): Readonly<Record<string, string>> {
  const variable = `${id.toUpperCase().replaceAll('-', '_')}_URL`;
  return {
    'integration.json': json({
      schemaVersion: 1,
      id,
      version: '0.1.0',
      title: id,
      summary: 'One sentence: what it gives to a coding agent.',
      inputs: [
        { name: variable, type: 'url', prompt: `URL of the MCP server of ${id}`, pathEndsWith: '/mcp' },
      ],
      endpoints: [{ kind: 'mcp', url: `{${variable}}` }],
      artifacts: [
        { kind: 'mcp-server', name: 'server', required: true, server: id, http: { url: `{${variable}}` } },
        { kind: 'skill', name: 'skill', skill: id, folder: `skills/${id}` },
      ],
      nextSteps: [`Ask the agent what ${id} can do.`],
    }),
    [`skills/${id}/SKILL.md`]: [
      '---',
      `name: ${id}`,
      `description: What ${id} is for, and when an agent should use it. One or two sentences; agents choose by them.`,
      '---',
      '',
      `# ${id}`,
      '',
      'What to do, step by step.',
      '',
    ].join('\n'),
    'README.md': [
      `# ${id}`,
      '',
      'Inputs, what runs on the machine of the user, and what leaves it.',
      '',
      `    tenon validate ./${id}`,
      `    tenon setup ./${id} --dry-run`,
      '',
    ].join('\n'),
  };
}

/** A new spec and its first fixture: path -> text. Every claim in it is marked as weak until somebody proves it. */
export function runtimeStarter(id: string, today: string): Readonly<Record<string, string>> {
  const config = `.${id}/mcp.json`;
  return {
    [`specs/${id}.json`]: json({
      $schema: '../schema/runtime-spec.json',
      schemaVersion: 1,
      id,
      title: id,
      homepage: 'https://example.com',
      aliases: [],
      support: 'tier3',
      detect: { project: [`.${id}`], home: [`~/.${id}`], binaries: [id] },
      session: [],
      files: {
        mcp: {
          scope: 'project',
          paths: [config],
          create: config,
          merged: true,
          format: 'json',
          reads: 'strict',
          bom: 'rejected',
          onInvalid: 'unknown',
          foreign: [],
        },
      },
      mcp: {
        support: { state: 'advisory', reason: 'nobody tested it' },
        places: [{ scope: 'project', file: 'mcp', at: ['mcpServers', '{server}'] }],
        stdio: { command: '{command}', args: '{args}', env: '{env}' },
        http: { type: 'http', url: '{url}', headers: '{headers}' },
        expands: [],
        unset: 'unknown',
        switches: [],
        urlMembers: ['url'],
        commandMember: 'command',
        toolName: '{tool}',
      },
      fileFolders: [],
      gates: [],
      reload: { kind: 'restart', text: `restart ${id}` },
      capabilities: Object.fromEntries(
        CAPABILITIES.filter((one) => !one.startsWith('mcp-')).map((one) => [
          one,
          { state: 'unknown', reason: 'not looked at yet' },
        ]),
      ),
      limits: [],
      evidence: [
        {
          claim: 'project file and the shape of its entries',
          mark: 'weak',
          checked: today,
          source: 'replace this by where it is written, or by your experiment and its version',
          covers: ['mcp-stdio', 'mcp-http'],
        },
      ],
    }),
    [`test/runtimes/${id}/existing/before/${config}`]: json({
      mcpServers: { index: { command: 'index-mcp', args: ['--root', '.'] } },
    }),
  };
}
