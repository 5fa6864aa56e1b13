/**
 * Finds the database of a backup: the operator's, or the embedded database of a data directory, which is
 * started if it does not run.
 */

export interface Source {
  url: string
  /** Folder of the embedded cluster; null: the operator's Postgres. */
  cluster: string | null
  release(): Promise<void>
}

/** @throws Refusal */
export async function openSource(dataDir: string, databaseUrl: string | null): Promise<Source> {
  if (databaseUrl !== null) return { url: databaseUrl, cluster: null, release: () => Promise.resolve() }
  const { openEmbedded } = await import('./embedded.js')
  return openEmbedded(dataDir)
}
