/**
 * System properties, for `getprop` and `setprop`. Properties that begin with `persist.` survive a restart.
 */
import { abi, fingerprint, type Identity, model, supportedAbis } from './identity.js'

/** Prefixes that the shell's SELinux domain may set on a user build. */
const settableByShell = ['debug.', 'log.', 'persist.log.', 'persist.debug.', 'sys.powerctl', 'ctl.']

export class Properties {
  private readonly values = new Map<string, string>()

  constructor(
    identity: Identity,
    private readonly onChange: () => void,
  ) {
    for (const [name, value] of Object.entries(fixed(identity))) this.values.set(name, value)
  }

  get(name: string): string {
    return this.values.get(name) ?? ''
  }

  /** Returns all properties, sorted by name. */
  all(): [string, string][] {
    return [...this.values].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  /** Sets a property as the system, without a check of rights. */
  set(name: string, value: string): void {
    this.values.set(name, value)
    if (name.startsWith('persist.')) this.onChange()
  }

  /** Sets a property as the shell's `setprop`; false without the right. */
  setByShell(name: string, value: string): boolean {
    const taken = name.startsWith('ro.') && this.values.has(name)
    if (taken || !settableByShell.some((prefix) => name.startsWith(prefix))) return false
    this.set(name, value)
    return true
  }

  /** Returns the properties that survive a restart. */
  persistent(): Record<string, string> {
    return Object.fromEntries([...this.values].filter(([name]) => name.startsWith('persist.')))
  }

  /** Deletes the properties that do not survive a restart, and then loads `saved`. */
  restart(identity: Identity, saved: Readonly<Record<string, string>>): void {
    this.values.clear()
    for (const [name, value] of Object.entries({ ...fixed(identity), ...saved })) this.values.set(name, value)
  }
}

function fixed(identity: Identity): Record<string, string> {
  return {
    'dalvik.vm.heapsize': '512m',
    'gsm.sim.state': 'ABSENT',
    'init.svc.adbd': 'running',
    'init.svc.zygote': 'running',
    'persist.sys.locale': 'en-US',
    'persist.sys.timezone': 'GMT',
    'persist.sys.usb.config': 'adb',
    'ro.adb.secure': '0',
    'ro.board.platform': 'phonerack',
    'ro.boot.flash.locked': '1',
    'ro.boot.serialno': identity.serialNumber,
    'ro.boot.vbmeta.device_state': 'locked',
    'ro.boot.verifiedbootstate': 'green',
    'ro.bootmode': 'normal',
    'ro.build.characteristics': 'default',
    'ro.build.display.id': model.buildId,
    'ro.build.fingerprint': fingerprint,
    'ro.build.id': model.buildId,
    'ro.build.tags': 'release-keys',
    'ro.build.type': 'user',
    'ro.build.version.codename': 'REL',
    'ro.build.version.incremental': '1',
    'ro.build.version.release': model.release,
    'ro.build.version.release_or_codename': model.release,
    'ro.build.version.sdk': String(model.sdk),
    'ro.build.version.security_patch': model.securityPatch,
    'ro.crypto.state': 'encrypted',
    'ro.crypto.type': 'file',
    'ro.debuggable': '0',
    'ro.hardware': 'phonerack',
    'ro.kernel.qemu': '0',
    'ro.product.brand': model.maker,
    'ro.product.board': 'phonerack',
    'ro.product.cpu.abi': abi,
    'ro.product.cpu.abilist': supportedAbis.join(','),
    'ro.product.cpu.abilist64': supportedAbis.join(','),
    'ro.product.device': model.device,
    'ro.product.first_api_level': String(model.sdk),
    'ro.product.locale': 'en-US',
    'ro.product.manufacturer': model.maker,
    'ro.product.model': model.name,
    'ro.product.name': model.product,
    'ro.secure': '1',
    'ro.serialno': identity.serialNumber,
    'ro.sf.lcd_density': String(model.density),
    'ro.treble.enabled': 'true',
    'ro.zygote': 'zygote64',
    'selinux.restorecon_recursive': '/data/misc_ce/0',
    'sys.usb.config': 'adb',
    'sys.usb.state': 'adb',
  }
}
