/** Filters of a list, stored in the page's address, so that a link shows the same list. */
import { useNavigate } from '@tanstack/react-router'

/** Returns a function that changes one filter: an empty text or false removes it. */
export function useFilter<T extends object>(
  filter: T,
): (name: keyof T & string, value: string | boolean) => void {
  const navigate = useNavigate()
  return (name, value) => {
    const all: object = { ...filter, [name]: value }
    const kept = Object.entries(all).filter(([, each]) => each !== '' && each !== false)
    void navigate({ to: '.', search: Object.fromEntries(kept), replace: true })
  }
}
