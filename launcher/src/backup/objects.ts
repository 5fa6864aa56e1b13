/**
 * Lists the files of tenants that the restored database expects in the storage. The backup does not contain
 * them.
 */
import { query } from './dump.js'

interface Row {
  id: string
  kind: string
  bytes: string | null
  sha256: string | null
}

const stored = `
  select storage_id as id, 'upload' as kind, size_bytes as bytes, sha256 from uploads where is_stored
  union all select storage_id, 'recording', size_bytes, sha256 from recordings where is_stored
  union all select id, 'library', size_bytes, sha256 from library_files where facts is not null
  order by 1`

/** One line of JSON for each file. */
export async function listObjects(url: string): Promise<{ text: string; count: number; bytes: number }> {
  const rows = (await query<Row & Record<string, unknown>>(url, stored)).map((row) => ({
    id: row.id,
    kind: row.kind,
    bytes: Number(row.bytes ?? 0),
    sha256: row.sha256,
  }))
  return {
    text: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    count: rows.length,
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
