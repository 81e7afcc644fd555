type Json = Readonly<Record<string, unknown>>;

/** A route, and its place relative to the owner of the matcher tree. */
interface PlacedRoute {
  readonly route: Json;
  readonly place: string;
}

/**
 * The routes that the actions of a matcher tree of a virtual host can lead to, each a Route or one of a RouteList, in proto3 JSON.
 * `place`: the field that has the tree.
 */
export function* matcherRoutesOf(tree: unknown, place: string): Generator<PlacedRoute> {
  if (Array.isArray(tree))
    for (const [index, item] of tree.entries()) yield* matcherRoutesOf(item, `${place}[${index}]`);
  else if (isJson(tree)) {
    const type = String(tree['@type']);
    if (type.endsWith('/envoy.config.route.v3.Route')) yield { route: tree, place };
    else if (type.endsWith('/envoy.config.route.v3.RouteList')) {
      const routes: readonly unknown[] = Array.isArray(tree.routes) ? tree.routes : [];
      for (const [index, route] of routes.entries())
        if (isJson(route)) yield { route, place: `${place}.routes[${index}]` };
    } else
      for (const [key, member] of Object.entries(tree)) yield* matcherRoutesOf(member, `${place}.${key}`);
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
