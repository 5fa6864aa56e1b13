/** The shell's variables: their values, export marks, and the values that a function's `local` hides. */

interface Variable {
  value: string
  exported: boolean
  readonly: boolean
}

export class ReadOnlyVariable extends Error {
  constructor(name: string) {
    super(`read-only: ${name}`)
    this.name = 'ReadOnlyVariable'
  }
}

export class Variables {
  private values = new Map<string, Variable>()
  private readonly scopes: Map<string, Variable | null>[] = []

  constructor(environment: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(environment)) {
      this.values.set(name, { value, exported: true, readonly: false })
    }
  }

  get(name: string): string | null {
    return this.values.get(name)?.value ?? null
  }

  /** @throws ReadOnlyVariable */
  set(name: string, value: string): void {
    const old = this.values.get(name)
    if (old?.readonly === true) throw new ReadOnlyVariable(name)
    this.values.set(name, { value, exported: old?.exported ?? false, readonly: false })
  }

  unset(name: string): void {
    if (this.values.get(name)?.readonly === true) throw new ReadOnlyVariable(name)
    this.values.delete(name)
  }

  mark(name: string, mark: 'exported' | 'readonly', on = true): void {
    const variable = this.values.get(name) ?? { value: '', exported: false, readonly: false }
    this.values.set(name, { ...variable, [mark]: on })
  }

  environment(): Record<string, string> {
    return Object.fromEntries(
      [...this.values].filter(([, v]) => v.exported).map(([name, v]) => [name, v.value]),
    )
  }

  /** Returns all variables, sorted by name. */
  all(): [string, Variable][] {
    return [...this.values].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  pushScope(): void {
    this.scopes.push(new Map())
  }

  popScope(): void {
    for (const [name, variable] of this.scopes.pop() ?? []) {
      if (variable === null) this.values.delete(name)
      else this.values.set(name, variable)
    }
  }

  /** Makes `name` local to the running function. Does nothing outside a function. */
  makeLocal(name: string): void {
    const scope = this.scopes.at(-1)
    if (scope === undefined || scope.has(name)) return
    scope.set(name, this.values.get(name) ?? null)
    this.values.delete(name)
  }

  clone(): Variables {
    const copy = new Variables({})
    copy.values = new Map([...this.values].map(([name, v]) => [name, { ...v }]))
    return copy
  }
}
