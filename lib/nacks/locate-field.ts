import type { FieldHint } from './nack-statement';

type LocatedField =
  /** The field, or its parent with the steps that the payload lacks. */
  | {
      readonly kind: 'found';
      readonly path: string;
      /** The steps of the reported path after `path`: ".match"; empty if the payload has the field. */
      readonly missing: string;
      readonly isFromRoot: boolean;
    }
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
 * whole payload, and so is one that begins in a message or an element that the hint states; without a path, the field is
 * the one that the hint describes. "[]" stands for every element, or for the only one.
 */
export function locateField(json: unknown, path: string, reported?: FieldHint): LocatedField {
  const hint = { ...reported, isExact: reported !== undefined };
  const steps = parseSteps(path);
  const [first] = steps;
  const { message, elementName, value } = hint;
  const anchors =
    message !== undefined
      ? findEverywhere(json, (at) => (isMessage(at.value, message) ? [at] : []))
      : elementName !== undefined
        ? findEverywhere(json, (at) => listNamed(at, elementName))
        : undefined;
  if (anchors !== undefined || message !== undefined || elementName !== undefined) {
    return choose(
      (anchors ?? []).flatMap((anchor) => follow(anchor, steps)),
      steps,
      hint,
      false,
    );
  }
  if (first === undefined) {
    if (value === undefined) return { kind: 'nowhere' };
    return choose(findEverywhere(json, (at) => listScalars(at, value)) ?? [], steps, hint, false);
  }
  if (first.kind === 'name' && memberOf(json, first.name) === undefined) {
    const starts = findEverywhere(json, (at) => nextPlaces(at, first));
    if (starts === undefined) return { kind: 'nowhere' };
    const inside = starts.flatMap((start) => follow(start, steps));
    if (inside.length > 0) return choose(inside, steps, hint, false);
    const isDescribed = value !== undefined || hint.matches !== undefined || hint.isAbsent === true;
    return isDescribed
      ? { kind: 'nowhere' }
      : { kind: 'found', path: '', missing: joinSteps(steps), isFromRoot: true };
  }
  const fromRoot = choose(follow({ path: '', value: json, steps: 0 }, steps), steps, hint, true);
  if (fromRoot.kind !== 'nowhere' || (value === undefined && hint.matches === undefined)) return fromRoot;
  const everywhere = findEverywhere(json, (at) => (at.path === '' ? [] : nextPlaces(at, first)));
  return choose(
    (everywhere ?? []).flatMap((start) => follow(start, steps)),
    steps,
    hint,
    false,
  );
}

function choose(
  reached: readonly Place[],
  steps: readonly Step[],
  hint: FieldHint & { readonly isExact: boolean },
  isFromRoot: boolean,
): LocatedField {
  const places = applyHint(reached, steps.length, hint);
  const chosen = hint.isLast === true ? places.at(-1) : places[0];
  if (chosen === undefined) return { kind: 'nowhere' };
  if (places.length > 1 && hint.isLast !== true) {
    return { kind: 'ambiguous', paths: places.map(({ path }) => path) };
  }
  // Durations and wrappers are one value in JSON, whatever fields the message has. An exact path does not lead into them,
  // but into values that are redacted.
  const isWhole = chosen.steps === steps.length || (!hint.isExact && typeof chosen.value !== 'object');
  const missing = isWhole ? '' : joinSteps(steps.slice(chosen.steps));
  return { kind: 'found', path: chosen.path, missing, isFromRoot };
}

function applyHint(reached: readonly Place[], length: number, hint: FieldHint): readonly Place[] {
  const { value, matches, isAbsent } = hint;
  if (isAbsent === true) return reached.filter(({ steps }) => steps < length);
  if (value === undefined && matches === undefined) return reached;
  const whole = reached.filter((place) => place.steps === length && (matches?.(place.value) ?? true));
  if (value === undefined) return whole;
  const equal = whole.filter((place) => String(place.value) === value);
  return equal.length > 0 ? equal : whole.filter((place) => String(place.value).includes(value));
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

/** The element, which has this name, or the entries of a map of messages with this key. The root is not an element. */
function listNamed({ path, value }: Place, name: string): Place[] {
  if (path !== '' && memberOf(value, 'name') === name) return [{ path, value, steps: 0 }];
  const entry = memberOf(value, name);
  if (memberOf(entry, '@type') === undefined) return [];
  return [{ path: joinPath(path, name), value: entry, steps: 0 }];
}

function listScalars({ path, value }: Place, wanted: string): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const isFound = name !== '@type' && typeof member === 'string' && member.includes(wanted);
    return isFound ? [{ path: joinMember(path, value, name), value: member, steps: 0 }] : [];
  });
}

function isMessage(value: unknown, message: string): boolean {
  const type = memberOf(value, '@type');
  return typeof type === 'string' && (type.endsWith(`.${message}`) || type.endsWith(`/${message}`));
}

/** Visits every object, in the order of the payload. Returns undefined if the payload is too large. */
function findEverywhere(json: unknown, list: (at: Place) => Place[]): Place[] | undefined {
  const found: Place[] = [];
  const waiting: Place[] = [{ path: '', value: json, steps: 0 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    found.push(...list(at));
    if (found.length > maxPlaces) break;
    const { path, value } = at;
    if (typeof value !== 'object' || value === null) continue;
    const children: Place[] = [];
    for (const name in value) {
      if (waiting.length + children.length > maxWaiting) return undefined;
      const child: unknown = Reflect.get(value, name);
      if (typeof child !== 'object') continue;
      children.push({ path: joinMember(path, value, name), value: child, steps: 0 });
    }
    for (const child of children.reverse()) waiting.push(child);
  }
  return found;
}

function joinMember(path: string, parent: object, name: string): string {
  return Array.isArray(parent) ? `${path}[${name}]` : joinPath(path, name);
}

/** Appends a field name, or a map key if it cannot be a field name. */
function joinPath(path: string, name: string): string {
  if (!/^[@\w]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function joinSteps(steps: readonly Step[]): string {
  return steps
    .map((step) => {
      if (step.kind === 'item') return `[${step.index ?? ''}]`;
      return step.kind === 'key' ? `[${JSON.stringify(step.name)}]` : `.${step.name}`;
    })
    .join('');
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
