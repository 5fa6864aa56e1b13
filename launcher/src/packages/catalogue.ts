/**
 * The packages that `./scripts/package` builds. Each entry names the program, and the files that it needs
 * besides its modules.
 */

export interface PackageSpec {
  /** Name of the npm package and the Debian package. */
  name: string
  /** The folder of the workspace. */
  workspace: string
  /** Compiled folders of the workspace that only tests use. */
  leftOut: readonly string[]
  /** Files of the workspace that the program reads at run time, besides `dist`. */
  assets: readonly RegExp[]
  /** Built folders of other workspaces, by their path in the checkout; the value is their folder in the package. */
  built: Readonly<Record<string, string>>
  /** Whether the scrcpy server is put next to `dist`, as `scrcpy-server.jar`. */
  hasScrcpyServer: boolean
  /**
   * Modules of which only single files are used, without their dependencies. Paths are relative to the
   * module, or to `dist` of one of our workspaces. An empty list omits the module.
   */
  files: Readonly<Record<string, readonly RegExp[]>>
  /** Files of modules that this program never loads, by the name of the module. */
  unused: Readonly<Record<string, RegExp>>
  /** Files of the Debian package, by their path in the checkout. */
  system: Readonly<Record<string, string>>
}

const agent: PackageSpec = {
  name: 'phonerack-agent',
  workspace: 'host-agent',
  leftOut: ['testing'],
  assets: [],
  built: {},
  hasScrcpyServer: true,
  files: { 'io.appium.settings': [/^apks\/.*\.apk$/], 'appium-uiautomator2-server': [/^apks\/.*\.apk$/] },
  unused: {},
  system: {
    'deploy/systemd/phonerack-agent.service': 'usr/lib/systemd/system/phonerack-agent.service',
    'deploy/udev/71-phonerack-agent.rules': 'usr/lib/udev/rules.d/71-phonerack-agent.rules',
    'deploy/etc/agent.yaml': 'etc/phonerack/agent.yaml',
  },
}

const otherDatabases = /^runtime\/.*(?:cockroachdb|mysql|sqlite|sqlserver)/

const controlPlane: PackageSpec = {
  name: 'phonerack-control-plane',
  workspace: 'control-plane',
  leftOut: ['testing', 'conformance'],
  assets: [/^prisma\/migrations\//, /^src\/phone-io\/(?:live|steps\/replay)\/page\/[^/]+\.(?:css|html|svg)$/],
  built: { 'site/dist/public': 'site', 'console/dist': 'console' },
  hasScrcpyServer: false,
  // The embedded Postgres is omitted, since a control plane from a package uses the operator's Postgres.
  files: {
    '@phonerack/launcher': [/^backup\/(?!embedded)/, /^postgres\/regular\.js$/, /^programs\/path\.js$/],
  },
  // The client imports the fast compiler for Postgres as a module.
  unused: { '@prisma/client': new RegExp(`${otherDatabases.source}|query_compiler_small|wasm-base64\\.js$`) },
  system: {
    'deploy/systemd/phonerack-control-plane.service':
      'usr/lib/systemd/system/phonerack-control-plane.service',
    'deploy/etc/control-plane.env': 'etc/phonerack/control-plane.env',
    'deploy/debian/phonerack-control-plane.sh': 'usr/bin/phonerack-control-plane',
  },
}

const ctl: PackageSpec = {
  name: 'phonerack-ctl',
  workspace: 'clients/ctl',
  leftOut: [],
  assets: [],
  built: {},
  hasScrcpyServer: false,
  files: {},
  unused: {},
  system: {},
}

const virtualPhone: PackageSpec = {
  name: 'phonerack-virtual-phone',
  workspace: 'virtual-phone',
  leftOut: ['apk-builder', 'clients'],
  assets: [],
  built: {},
  hasScrcpyServer: false,
  files: {},
  unused: { '@expo-google-fonts/roboto': /^(?!package\.json|400Regular\/|500Medium\/|700Bold\/)[^/]*\// },
  system: {},
}

export const packages: readonly PackageSpec[] = [agent, controlPlane, ctl, virtualPhone]
