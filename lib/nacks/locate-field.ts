/** Where a reported path is in a payload. */
export type LocatedField =
  /** There; or, where the field itself is not set (or has no step in JSON), what is around it. */
  | { readonly kind: 'found'; readonly path: string; readonly isWhole: boolean; readonly isFromRoot: boolean }
  /** In several places. */
  | { readonly kind: 'ambiguous'; readonly paths: readonly string[] }
  | { readonly kind: 'nowhere' };

interface Place {
  readonly path: string;
  readonly value: unknown;
  /** Steps of the reported path that are in `path`. */
  readonly steps: number;
}

type Step =
  | { readonly kind: 'name' | 'key'; readonly name: string }
  | { readonly kind: 'item'; readonly index?: number };

/** A hostile payload has a million places. */
const maxWaiting = 100_000;
const maxPlaces = 50;

/**
 * `path` as in NackStatement, `json` as the codec decodes it. From the root first; a path whose first step is not there
 * is looked for everywhere. "[]" is every element: of one, it is that one.
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
  // A duration, a wrapper: one value in JSON, whatever is in the message.
  const isWhole = only.steps === length || typeof only.value !== 'object';
  return { kind: 'found', path: only.path, isWhole, isFromRoot };
}

/** Each way as far as it leads: of "routes[].match" also the route that has none. */
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

/** Wherever the first step is, with the way on from there; undefined: the payload is too large to look through. */
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

/** A member's name, or a map's key where it could not be one. */
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
