/** Installs Debian's Postgres, of which only the programs are used. */
import { readFileSync, writeFileSync } from 'node:fs'

/** The package `postgresql-common` contains this setting, and must be installed first. */
const settings = '/etc/postgresql-common/createcluster.conf'

/**
 * Runs `install` while Debian's packages of Postgres create no cluster, which would run as a service on the machine of
 * a developer. Restores the setting afterwards.
 */
export async function withoutCluster<T>(install: () => Promise<T>): Promise<T> {
  const before = readFileSync(settings, 'utf8')
  const others = before.replaceAll(/^ *create_main_cluster\b.*$/gm, '')
  writeFileSync(settings, `${others}\ncreate_main_cluster = false\n`)
  try {
    return await install()
  } finally {
    writeFileSync(settings, before)
  }
}
