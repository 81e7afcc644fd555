/** Finds the path of the list that matches the segments. A part like `{id}` matches any and becomes a parameter. */
export function matchPath<Path extends string>(
  paths: readonly Path[],
  segments: readonly string[],
): { readonly path: Path; readonly params: Readonly<Record<string, string>> } | undefined {
  for (const path of paths) {
    const parts = path.split('/');
    if (parts.length !== segments.length) continue;
    const params: Record<string, string> = {};
    const matches = parts.every((part, index) => {
      const segment = segments[index] ?? '';
      if (!part.startsWith('{')) return part === segment;
      params[part.slice(1, -1)] = segment;
      return true;
    });
    if (matches) return { path, params };
  }
  return undefined;
}
