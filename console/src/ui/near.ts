/** Reports whether an element of a long list is in the window or near it. All elements share one observer. */
import { useEffect, useRef, useState, type RefObject } from 'react'

/** Pixels above and below the window. */
const near = 1000

type OnChange = (isNear: boolean, height: number) => void
const listeners = new WeakMap<Element, OnChange>()
let observer: IntersectionObserver | null = null

function observe(element: Element, onChange: OnChange): () => void {
  listeners.set(element, onChange)
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries)
        listeners.get(target)?.(isIntersecting, boundingClientRect.height)
    },
    { rootMargin: `${near}px 0px` },
  )
  observer.observe(element)
  return () => {
    observer?.unobserve(element)
    listeners.delete(element)
  }
}

interface Near<E extends Element> {
  here: RefObject<E | null>
  isNear: boolean
  /** The height that the element had when it was near, in pixels. */
  height: number | undefined
}

/** An element with the focus counts as near. @param isFirst whether the element counts as near before it is observed */
export function useNear<E extends Element>(isFirst: boolean): Near<E> {
  const here = useRef<E>(null)
  const [state, setState] = useState<{ isNear: boolean; height?: number }>({ isNear: isFirst })
  useEffect(() => {
    const element = here.current
    if (!element) return
    return observe(element, (isNear, height) =>
      setState((before) => {
        if (isNear) return before.isNear ? before : { isNear }
        if (!before.isNear || element.contains(document.activeElement)) return before
        return { isNear, height }
      }),
    )
  }, [])
  return { here, isNear: state.isNear, height: state.height }
}
