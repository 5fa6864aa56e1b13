import { clsx, type ClassValue } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Joins class names. Later classes of Tailwind override earlier classes. */
export const cn = (...classes: ClassValue[]): string => twMerge(clsx(classes))
