import protobuf from 'protobufjs';
import { findMessageType, typesVersion } from './root';
import { typeOfField } from './sensitive-types';
import { TextMemo } from './text-memo';

/** The kinds of fields, by what they can contain: nothing of interest, a message with maps, an Any, or a map's entries. */
export const mapField = { none: 0, message: 1, any: 2, map: 3 } as const;

/** The fields of a type in which maps can be, as a table by field number. */
export interface MapPlan {
  readonly kinds: Uint8Array;
  /** The plans of messages, and of the values of maps; undefined for those that cannot contain a map. */
  readonly inner: readonly (MapPlan | undefined)[];
  /** Contains 1 for each map whose values are Anys. */
  readonly hasAnys: Uint8Array;
}

const anyName = '.google.protobuf.Any';
const mostFieldNumber = 100_000;

let plans = new Map<protobuf.Type, MapPlan | undefined>();
let byTypeUrl = new TextMemo(planOfName);
let madeOf = -1;

/** Returns undefined if the type is unknown or cannot contain a map. */
export function findMapPlan(typeUrl: string): MapPlan | undefined {
  forgetOldTypes();
  return planOfName(typeUrl);
}

/** The same for a type URL in the bytes of an Any. */
export function findMapPlanAt(bytes: Uint8Array, start: number, end: number): MapPlan | undefined {
  forgetOldTypes();
  return byTypeUrl.get(bytes, start, end);
}

function forgetOldTypes(): void {
  if (madeOf === typesVersion()) return;
  madeOf = typesVersion();
  plans = new Map();
  byTypeUrl = new TextMemo(planOfName);
}

function planOfName(typeUrl: string): MapPlan | undefined {
  const type = findMessageType(typeUrl);
  return type === undefined || !holdsMaps(type, new Set()) ? undefined : planOf(type);
}

const holding = new WeakMap<protobuf.Type, boolean>();

/** Types can be recursive: `above` are those whose fields are being read. */
function holdsMaps(type: protobuf.Type, above: Set<protobuf.Type>): boolean {
  const known = holding.get(type);
  if (known !== undefined) return known;
  if (type.fullName === anyName) return true;
  if (above.has(type)) return false;
  above.add(type);
  const holds = type.fieldsArray.some((field) => {
    if (field instanceof protobuf.MapField) return true;
    const inner = typeOfField(field);
    return inner !== undefined && holdsMaps(inner, above);
  });
  // Below a type that is still being read, false may be only a part of the answer.
  if (holds || above.size === 1) holding.set(type, holds);
  above.delete(type);
  return holds;
}

function planOf(type: protobuf.Type): MapPlan | undefined {
  if (plans.has(type)) return plans.get(type);
  if (!holdsMaps(type, new Set())) {
    plans.set(type, undefined);
    return undefined;
  }
  const fields = type.fieldsArray.filter(({ id }) => id <= mostFieldNumber);
  const highest = Math.max(0, ...fields.map(({ id }) => id));
  const inner = new Array<MapPlan | undefined>(highest + 1);
  const plan = { kinds: new Uint8Array(highest + 1), inner, hasAnys: new Uint8Array(highest + 1) };
  // The plan is set before its fields are planned, because types can be recursive.
  plans.set(type, plan);
  for (const field of fields) {
    const value = typeOfField(field);
    const isAny = value?.fullName === anyName;
    if (value !== undefined && !isAny) inner[field.id] = planOf(value);
    if (field instanceof protobuf.MapField) {
      plan.kinds[field.id] = mapField.map;
      plan.hasAnys[field.id] = isAny ? 1 : 0;
    } else if (isAny) plan.kinds[field.id] = mapField.any;
    else if (inner[field.id] !== undefined) plan.kinds[field.id] = mapField.message;
  }
  return plan;
}
