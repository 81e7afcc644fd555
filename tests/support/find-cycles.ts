/**
 * The strongly connected components that contain a cycle, each sorted by name (Tarjan's algorithm). `graph`: by node, the
 * nodes that it points to; nodes that are not keys point nowhere.
 */
export function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    let lowest = index;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, low.get(next) ?? order.get(next) ?? index);
    }
    low.set(node, lowest);
    if (lowest < index) return lowest;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || graph.get(node)?.has(node) === true) cycles.push(component.sort());
    return lowest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort();
}
