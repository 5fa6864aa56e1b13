/** Documents of the repository that are pages of the site too. */

export interface Document {
  /** In the checkout. */
  source: string
  /** The page, below the root of the site. */
  page: string
  /** Replaces the heading of the document. */
  title?: string
}

export const documents: readonly Document[] = [
  { source: 'clients/typescript/README.md', page: 'clients/typescript', title: 'TypeScript' },
  { source: 'clients/python/README.md', page: 'clients/python', title: 'Python' },
  { source: 'clients/cli/README.md', page: 'clients/cli', title: 'Command line' },
  { source: 'docs/mcp.md', page: 'clients/mcp', title: 'Agent tools (MCP)' },
  { source: 'docs/handoff.md', page: 'concepts/hand-over', title: 'Hand-over to a person' },
  { source: 'docs/shell.md', page: 'concepts/shell' },
  { source: 'docs/events.md', page: 'concepts/events' },
  {
    source: 'docs/reports.md',
    page: 'concepts/reports',
    title: 'Log, crashes, notifications and permissions',
  },
  { source: 'docs/steps.md', page: 'concepts/steps', title: 'Steps and replay' },
  { source: 'docs/commands.md', page: 'operators/commands' },
  { source: 'docs/settings.md', page: 'operators/settings' },
  { source: 'docs/capabilities.md', page: 'operators/capabilities' },
  { source: 'deploy/compose/README.md', page: 'operators/compose' },
  { source: 'deploy/helm/README.md', page: 'operators/helm' },
  { source: 'deploy/network/README.md', page: 'operators/phone-network' },
  { source: 'docs/unproven.md', page: 'operators/unproven' },
  { source: 'SECURITY.md', page: 'operators/security' },
]

/** Becomes one page for each of its sections. */
export const operations = { source: 'docs/operations.md', folder: 'operators' }

/** Sections of docs/operations.md that are too long for one page. */
export const dividedSections: ReadonlySet<string> = new Set(['Several machines'])
