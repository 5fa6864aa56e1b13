/** The library's apps in the database: added from uploaded files, replaced, removed. */
import { ApiError, packageName } from '@phonerack/shared'
import { type ApkFacts } from '../apps/apk/facts.js'
import { type Tx } from '../../base/db/database.js'
import { type LibraryApp, type LibraryFile } from '../../gen/prisma/client.js'
import { invalidField } from '../../base/validation/fields.js'
import { factsOf } from './files.js'
import { addFileDelete } from '../storage/deletions.js'

/** The tables that reads use, inside or outside a transaction. */
type Rows = Pick<Tx, 'libraryApp' | 'libraryState'>

export type AppWithFiles = LibraryApp & { files: LibraryFile[] }

const withFiles = { files: { orderBy: { position: 'asc' } } } as const

export const readApps = (db: Rows): Promise<AppWithFiles[]> =>
  db.libraryApp.findMany({ include: withFiles, orderBy: { package: 'asc' } })

export const readApp = (db: Rows, name: string): Promise<AppWithFiles | null> =>
  db.libraryApp.findUnique({ where: { package: name }, include: withFiles })

/** Reads the version of the library, which increases with each change. */
export async function readVersion(db: Rows): Promise<bigint> {
  return (await db.libraryState.findUniqueOrThrow({ where: { id: 1 } })).version
}

/** Serialises changes across all replicas. */
async function nextVersion(tx: Tx): Promise<void> {
  await tx.libraryState.update({ where: { id: 1 }, data: { version: { increment: 1 } } })
}

/**
 * Combines files into a new app, or into a new version of an app: a base and its splits, in any order. @throws ApiError
 * validation_failed, which names the files that do not fit together
 */
export async function addApp(
  tx: Tx,
  fileIds: readonly string[],
  now: Date,
): Promise<{ app: AppWithFiles; replaced: AppWithFiles | null }> {
  await nextVersion(tx)
  const found = await tx.libraryFile.findMany({ where: { id: { in: [...fileIds] }, package: null } })
  const files = found.filter(({ facts }) => facts !== null)
  if (files.length !== new Set(fileIds).size)
    throw invalidField(
      'files',
      'must be files that were uploaded within the last hour and are not part of an app',
    )
  const { base, splits } = fitTogether(files)
  const facts = factsOf(base)
  const replaced = await readApp(tx, facts.package)
  await dropApp(tx, facts.package)
  await tx.libraryApp.create({
    data: {
      package: facts.package,
      label: facts.label ?? facts.package,
      versionCode: BigInt(facts.versionCode),
      versionName: facts.versionName ?? String(facts.versionCode),
      addedAt: now,
    },
  })
  for (const [position, { id }] of [base, ...splits].entries())
    await tx.libraryFile.update({ where: { id }, data: { package: facts.package, position } })
  const app = await tx.libraryApp.findUniqueOrThrow({ where: { package: facts.package }, include: withFiles })
  return { app, replaced }
}

/** Removes an app. Installs that have begun continue. @throws ApiError app_not_found */
export async function removeApp(tx: Tx, name: string): Promise<AppWithFiles> {
  await nextVersion(tx)
  const app = await readApp(tx, name)
  if (!app)
    throw new ApiError('app_not_found', {
      message: 'There is no such app in the library.',
      details: { package: name },
    })
  await dropApp(tx, name)
  return app
}

async function dropApp(tx: Tx, name: string): Promise<void> {
  const files = await tx.libraryFile.findMany({ where: { package: name }, select: { id: true } })
  await tx.libraryFile.deleteMany({ where: { package: name } })
  for (const { id } of files) await addFileDelete(tx, id)
  await tx.libraryApp.deleteMany({ where: { package: name } })
}

/** Returns the base. @throws ApiError validation_failed */
export function fitTogether<F extends Pick<LibraryFile, 'facts'>>(
  files: readonly F[],
): { base: F; splits: F[] } {
  const bases = files.filter((file) => factsOf(file).split === null)
  const [base] = bases
  if (!base || bases.length > 1)
    throw invalidField('files', `must contain exactly one base APK, not ${bases.length}`)
  const splits = files.filter((file) => file !== base)
  const facts = factsOf(base)
  if (!packageName.safeParse(facts.package).success)
    throw invalidField('files', `contain an invalid package name: ${facts.package}`)
  for (const split of splits) requireSame(facts, factsOf(split))
  const names = splits.map((split) => factsOf(split).split)
  if (new Set(names).size < names.length) throw invalidField('files', 'contain the same split twice')
  if (facts.needsSplits && splits.length === 0)
    throw invalidField(
      'files',
      `must also contain the splits of ${facts.package}: the app does not run without them`,
    )
  return { base, splits }
}

function requireSame(base: ApkFacts, split: ApkFacts): void {
  const which = `the split ${split.split ?? ''}`
  const isSame = base.package === split.package && base.versionCode === split.versionCode
  if (!isSame)
    throw invalidField(
      'files',
      `do not belong together: ${which} is part of ${split.package} ${split.versionCode}, but the base is ${base.package} ${base.versionCode}`,
    )
  if (base.signer !== split.signer)
    throw invalidField(
      'files',
      `do not belong together: ${which} and the base are signed with different keys`,
    )
}
