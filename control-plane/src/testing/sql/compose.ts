/**
 * Composes the texts of a raw SQL statement from its source: follows constants, functions, and the callers of functions
 * to the templates of the fragments, and replaces each value by a placeholder. `statements.ts` calls it.
 */
import * as ast from 'typescript/unstable/ast'
import { SymbolFlags, type Checker } from 'typescript/unstable/sync'

/** An expression, and the arguments of the calls on the way to it. */
interface Value {
  node: ast.Node
  args: ReadonlyMap<ast.Node, Value>
}

const nowhere: Value['args'] = new Map()
const placeholder = '\0'
const mostTexts = 500

/** A part of a statement does not follow from the source. */
export class Unresolved extends Error {
  constructor(node: ast.Node) {
    super(`cannot be composed: ${node.getText()}`)
  }
}

/** Takes one entry of each list, in all combinations. */
function combine<T>(lists: readonly (readonly T[])[], at: ast.Node): T[][] {
  let combinations: T[][] = [[]]
  for (const list of lists) {
    combinations = combinations.flatMap((begin) => list.map((entry) => [...begin, entry]))
    if (combinations.length > mostTexts) throw new Unresolved(at)
  }
  return combinations
}

/** Each method returns all values that an expression can have. */
export class Composer {
  constructor(private readonly checker: Checker) {}

  /**
   * @param statement a template, or an expression of type `Sql`
   * @throws Unresolved
   */
  textsOf(statement: ast.Node): string[] {
    const texts = ast.isTemplateLiteral(statement)
      ? this.template({ node: statement, args: nowhere })
      : this.item({ node: statement, args: nowhere })
    return [...new Set(texts)].map((text) => {
      let count = 0
      return text.replaceAll(placeholder, () => `$${(count += 1)}`)
    })
  }

  private template({ node, args }: Value): string[] {
    if (!ast.isTemplateExpression(node)) return ast.isNoSubstitutionTemplateLiteral(node) ? [node.text] : []
    const items = node.templateSpans.map(({ expression }) => this.item({ node: expression, args }))
    return combine(items, node).map((texts) =>
      node.templateSpans.reduce(
        (text, { literal }, index) => text + (texts[index] ?? '') + literal.text,
        node.head.text,
      ),
    )
  }

  /** The text of a value between the parts of a template, or in a list. */
  private item(value: Value): string[] {
    if (this.checker.getTypeAtLocation(value.node)?.getSymbol()?.name !== 'Sql') return [placeholder]
    return this.resolve(value).flatMap(({ node, args }) => {
      if (ast.isTaggedTemplateExpression(node)) return this.template({ node: node.template, args })
      const name = prismaName(node)
      if (name === 'empty') return ['']
      const [list, separator] = ast.isCallExpression(node) ? node.arguments : []
      if (name !== 'join' || !list || (separator && !ast.isStringLiteral(separator)))
        throw new Unresolved(node)
      return this.elements({ node: list, args }).map((texts) => texts.join(separator?.text ?? ','))
    })
  }

  private elements(list: Value): string[][] {
    return this.resolve(list).flatMap(({ node, args }) => {
      if (ast.isArrayLiteralExpression(node)) {
        const parts = node.elements.map((element) =>
          ast.isSpreadElement(element)
            ? this.elements({ node: element.expression, args })
            : this.item({ node: element, args }).map((text) => [text]),
        )
        return combine(parts, node).map((texts) => texts.flat())
      }
      // One element stands for a list of unknown length.
      const [callback] = ast.isCallExpression(node) ? node.arguments : []
      return callback
        ? this.returned({ node: callback, args }).flatMap((each) => this.item(each).map((text) => [text]))
        : [[placeholder]]
    })
  }

  /** Follows an expression to a template, a literal, a function, or a call of Prisma or of `map`. */
  private resolve({ node, args }: Value): Value[] {
    if (ast.isParenthesizedExpression(node) || ast.isAwaitExpression(node))
      return this.resolve({ node: node.expression, args })
    if (ast.isConditionalExpression(node))
      return [node.whenTrue, node.whenFalse].flatMap((each) => this.resolve({ node: each, args }))
    if (prismaName(node) !== null) return [{ node, args }]
    if (ast.isIdentifier(node)) return this.definition(node, args)
    if (ast.isCallExpression(node) && !/\.map$/.test(node.expression.getText())) {
      const given = node.arguments.map((argument) => ({ node: argument, args }))
      return this.returned({ node: node.expression, args }, given).flatMap((each) => this.resolve(each))
    }
    return [{ node, args }]
  }

  /** The expressions that a function returns when it is called with the values `given`. */
  private returned(callee: Value, given: readonly Value[] = []): Value[] {
    return this.resolve(callee).flatMap(({ node, args }) => {
      if (!isFunction(node) || !node.body) throw new Unresolved(node)
      const inner = new Map(args)
      for (const [index, parameter] of node.parameters.entries()) {
        const argument = given[index]
        if (argument) inner.set(parameter, argument)
      }
      return returnsOf(node.body).map((each) => ({ node: each, args: inner }))
    })
  }

  private definition(name: ast.Node, args: Value['args']): Value[] {
    const declaration = this.declarationOf(name)
    if (!declaration || !ast.isBindingElement(declaration)) return this.declared(name, declaration, args)
    const property = (declaration.propertyName ?? declaration.name)?.getText()
    const objects = this.declared(name, declaration.parent.parent, args)
    return objects.flatMap(({ node, args: inner }) => {
      for (const member of ast.isObjectLiteralExpression(node) ? node.properties : []) {
        if (ast.isPropertyAssignment(member) && member.name.getText() === property)
          return this.resolve({ node: member.initializer, args: inner })
        if (ast.isShorthandPropertyAssignment(member) && member.name.getText() === property)
          return this.definition(member.name, inner)
      }
      throw new Unresolved(name)
    })
  }

  /** The values of a constant, of a loop's variable, or of a parameter in each call of its function. */
  private declared(name: ast.Node, declaration: ast.Node | undefined, args: Value['args']): Value[] {
    if (declaration && isFunction(declaration)) return [{ node: declaration, args }]
    if (declaration && ast.isVariableDeclaration(declaration)) {
      const { initializer, parent: list } = declaration
      const isFilledLater =
        initializer && ast.isArrayLiteralExpression(initializer) && initializer.elements.length === 0
      if (isFilledLater || (list.flags & ast.NodeFlags.Const) === 0) throw new Unresolved(name)
      if (initializer) return this.resolve({ node: initializer, args })
      const items = ast.isForOfStatement(list.parent) ? list.parent.expression : list
      if (ast.isArrayLiteralExpression(items))
        return items.elements.flatMap((each) => this.resolve({ node: each, args }))
    }
    if (declaration && ast.isParameterDeclaration(declaration)) {
      const bound = args.get(declaration)
      if (bound) return this.resolve(bound)
      const found = isFunction(declaration.parent) ? this.argumentsOf(declaration.parent, declaration) : []
      if (found.length > 0) return found.flatMap((node) => this.resolve({ node, args: nowhere }))
    }
    throw new Unresolved(name)
  }

  private declarationOf(name: ast.Node): ast.Node | undefined {
    const symbol = ast.isShorthandPropertyAssignment(name.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(name.parent)
      : this.checker.getSymbolAtLocation(name)
    const isImport = symbol && (symbol.flags & SymbolFlags.Alias) !== 0
    return (isImport ? this.checker.getAliasedSymbol(symbol) : symbol)?.valueDeclaration?.resolve()
  }

  /** The arguments for a parameter in all calls of its function. */
  private argumentsOf(node: FunctionNode, parameter: ast.ParameterDeclaration): ast.Node[] {
    const name = ast.isFunctionDeclaration(node) ? node.name : node.parent.forEachChild((child) => child)
    const usages = name ? this.checker.getReferencedSymbolsForNode(name, name.getStart()) : []
    return usages.flatMap(({ references }) =>
      references.flatMap((reference) => {
        const used = reference.resolve()
        const isCall = used && ast.isCallExpression(used.parent) && used.parent.expression === used
        return (isCall && used.parent.arguments[node.parameters.indexOf(parameter)]) || []
      }),
    )
  }
}

type FunctionNode = ast.ArrowFunction | ast.FunctionDeclaration

const isFunction = (node: ast.Node): node is FunctionNode =>
  ast.isArrowFunction(node) || ast.isFunctionDeclaration(node)

/** The name of a member of `Prisma`, such as `join`, or of its call. */
function prismaName(node: ast.Node): string | null {
  const member = ast.isCallExpression(node) ? node.expression : node
  return /^Prisma\.(\w+)$/.exec(member.getText())?.[1] ?? null
}

/** The returned expressions of a function's body, without those of functions in it. */
function returnsOf(body: ast.Node): ast.Node[] {
  if (!ast.isBlock(body)) return [body]
  const found: ast.Node[] = []
  const visit = (node: ast.Node): void => {
    if (ast.isReturnStatement(node)) found.push(...(node.expression ? [node.expression] : []))
    else if (!isFunction(node)) node.forEachChild(visit)
  }
  visit(body)
  return found
}
