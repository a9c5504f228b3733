/** Throws on any syntax tree node that the program writer does not write. */
export function checkTree(program: hbs.AST.Program, names: ReadonlySet<string>): void {
  if ((program.blockParams ?? []).length > 0) throw new Error('block parameters in a template');
  for (const statement of program.body) checkStatement(statement, names);
}

function checkStatement(statement: hbs.AST.Statement, names: ReadonlySet<string>): void {
  switch (statement.type) {
    case 'ContentStatement':
      return;
    case 'MustacheStatement':
      return checkMustache(statement as hbs.AST.MustacheStatement, names);
    case 'BlockStatement':
      return checkBlock(statement as hbs.AST.BlockStatement, names);
    default:
      throw new Error(`${statement.type} in a template`);
  }
}

function checkMustache(mustache: hbs.AST.MustacheStatement, names: ReadonlySet<string>): void {
  if (mustache.params.length > 0 || mustache.hash !== undefined) throw new Error('arguments in a template');
  checkName(mustache.path, names);
}

function checkBlock(block: hbs.AST.BlockStatement, names: ReadonlySet<string>): void {
  const [condition, ...rest] = block.params;
  if (rest.length > 0 || block.hash !== undefined) throw new Error('arguments in a template');
  checkName(block.path, new Set(['if', 'unless']));
  checkName(condition, names);
  // Handlebars omits a missing inverse, although its types have it.
  for (const branch of [block.program, block.inverse] as (hbs.AST.Program | undefined)[]) {
    if (branch !== undefined) checkTree(branch, names);
  }
}

function checkName(expression: hbs.AST.Expression | undefined, names: ReadonlySet<string>): void {
  const path = expression as hbs.AST.PathExpression | undefined;
  const plain = path?.type === 'PathExpression' && !path.data && path.depth === 0 && path.parts.length === 1;
  if (!plain || !names.has(path.parts[0] ?? '')) throw new Error('a path in a template');
}
