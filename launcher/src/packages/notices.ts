/**
 * Writes the copyright file of a Debian package: our licence, and the licence of each third-party part. Pure.
 */
import type { Module } from './modules.js'

/**
 * @param folder of the modules on the machine
 * @param hasScrcpyServer whether the package contains the scrcpy server
 */
export function copyrightText(name: string, modules: readonly Module[], hasScrcpyServer: boolean): string {
  const folder = `/usr/lib/${name}`
  const lines = modules.map(
    ({ manifest, target }) =>
      `  ${manifest.name} ${manifest.version}: ${manifest.license ?? 'see its folder'} (${folder}/${target})`,
  )
  const scrcpy = [
    '  scrcpy-server 3.3.3, unchanged: Apache-2.0, Copyright (C) 2018 Genymobile,',
    `  Copyright (C) 2018-2025 Romain Vimont (${folder}/scrcpy-server.jar)`,
  ]
  return `${[
    'Phonerack, Copyright Phonerack contributors, Apache License 2.0:',
    '/usr/share/common-licenses/Apache-2.0 on Debian systems.',
    '',
    'The package contains these works of others under their own licences, whose texts are in their folders:',
    '',
    ...(hasScrcpyServer ? scrcpy : []),
    ...lines,
  ].join('\n')}\n`
}
