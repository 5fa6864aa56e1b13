/** A name inside a sentence: it does not turn the text around it. */
import { undirected } from '../direction'

export const Name = ({ children, className }: { children: string; className?: string }) => (
  <bdi className={className}>{undirected(children)}</bdi>
)
