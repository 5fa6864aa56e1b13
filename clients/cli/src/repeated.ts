/** An option that takes one value and can be repeated, as the parser of Commander's `option`. */
export const repeated = (value: string, others: string[] = []): string[] => [...others, value]
