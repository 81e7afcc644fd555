export type LocatedField =
  /** The field, or its parent if the field is not set, or has no step in JSON. */
  | { readonly kind: 'found'; readonly path: string; readonly isWhole: boolean; readonly isFromRoot: boolean }
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] }
  | { readonly kind: 'nowhere' };

interface Place {
  readonly path: string;
  readonly value: unknown;
  /** The number of steps of the reported path that `path` contains. */
  readonly steps: number;
}

type Step =
  | { readonly kind: 'name' | 'key'; readonly name: string }
  | { readonly kind: 'item'; readonly index?: number };

/** Limits for hostile payloads. */
const maxWaiting = 100_000;
const maxPlaces = 50;

/**
 * Locates a path of a NackStatement in a decoded payload. A path whose first step is not at the root is searched in the
 * whole payload. "[]" stands for every element, or for the only one.
 */
export function locateField(json: unknown, path: string): LocatedField {
  const steps = parseSteps(path);
  const [first] = steps;
  if (first === undefined) return { kind: 'nowhere' };
  if (first.kind === 'name' && memberOf(json, first.name) === undefined) {
    const inside = findEverywhere(json, steps);
    if (inside === undefined) return { kind: 'nowhere' };
    if (inside.length > 0) return choose(inside, steps.length, false);
    return { kind: 'found', path: '', isWhole: false, isFromRoot: true };
  }
  return choose(follow({ path: '', value: json, steps: 0 }, steps), steps.length, true);
}

function choose(places: readonly Place[], length: number, isFromRoot: boolean): LocatedField {
  const [only] = places;
  if (only === undefined) return { kind: 'nowhere' };
  if (places.length > 1) return { kind: 'ambiguous', paths: places.map(({ path }) => path) };
  // Durations and wrappers are one value in JSON, whatever fields the message has.
  const isWhole = only.steps === length || typeof only.value !== 'object';
  return { kind: 'found', path: only.path, isWhole, isFromRoot };
}

/** Follows each branch as far as it exists: "routes[].match" includes routes without a match. */
function follow(start: Place, steps: readonly Step[]): Place[] {
  let places = [start];
  for (const [index, step] of steps.entries()) {
    if (index < start.steps) continue;
    places = places.flatMap((place) => {
      const next = place.steps === index ? nextPlaces(place, step) : [];
      return next.length === 0 ? [place] : next;
    });
    if (places.length > maxPlaces) return places.slice(0, maxPlaces);
  }
  return places;
}

function nextPlaces({ path, value, steps }: Place, step: Step): Place[] {
  if (step.kind === 'name') {
    const member = memberOf(value, step.name);
    if (member === undefined) return [];
    return [{ path: path === '' ? step.name : `${path}.${step.name}`, value: member, steps: steps + 1 }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const isMeant =
        step.kind === 'item' ? (step.index ?? index) === index : memberOf(item, 'name') === step.name;
      return isMeant ? [{ path: `${path}[${index}]`, value: item, steps: steps + 1 }] : [];
    });
  }
  if (step.kind !== 'key') return [];
  const member = memberOf(value, step.name);
  if (member === undefined) return [];
  return [{ path: `${path}[${JSON.stringify(step.name)}]`, value: member, steps: steps + 1 }];
}

/** Searches the first step everywhere, and follows the others from there. Returns undefined if the payload is too large. */
function findEverywhere(json: unknown, steps: readonly Step[]): Place[] | undefined {
  const [first] = steps;
  const found: Place[] = [];
  const waiting: { readonly path: string; readonly value: unknown }[] = [{ path: '', value: json }];
  for (let at = waiting.pop(); at !== undefined && first !== undefined; at = waiting.pop()) {
    for (const start of nextPlaces({ ...at, steps: 0 }, first)) found.push(...follow(start, steps));
    if (found.length > maxPlaces) break;
    const { path, value } = at;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const name in value) {
      if (waiting.length > maxWaiting) return undefined;
      const child: unknown = Reflect.get(value, name);
      if (typeof child !== 'object') continue;
      waiting.push({ path: isList ? `${path}[${name}]` : joinPath(path, name), value: child });
    }
  }
  return found;
}

/** Appends a field name, or a map key if it cannot be a field name. */
function joinPath(path: string, name: string): string {
  if (!/^[@\w]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function parseSteps(path: string): Step[] {
  return [...path.matchAll(/\[(\d*)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(
    ([, index, key, name = '']) => {
      if (index !== undefined) return { kind: 'item', ...(index === '' ? {} : { index: Number(index) }) };
      return key === undefined ? { kind: 'name', name } : { kind: 'key', name: String(JSON.parse(key)) };
    },
  );
}
