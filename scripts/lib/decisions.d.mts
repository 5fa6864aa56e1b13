export function slugOf(title: string): string
export function brokenLinks(file: string): string[]
export function problemsOf(name: string, text: string): string[]
export function recordsOf(folder: string): { name: string; text: string }[]
export function indexOf(records: { name: string; text: string }[]): string
export function problemsIn(folder: string): string[]
