export interface Plan {
  everything: boolean
  whole: string[]
  related: string[]
  e2e: string[]
  python: boolean
}
export const packages: string[]
export function dependentsOf(root: string): Map<string, string[]>
export function planOf(files: string[], dependents: Map<string, string[]>): Plan
export function changeIn(root: string): { main: string; base: string; files: string[] }
