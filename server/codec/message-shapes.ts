import type { FieldShape, FindShape } from '@/lib/diff/message-shape';
import { type FieldPlan, planOf } from './json/type-plan';
import { findMessageType } from './root';

/** Describes message types for lib/diff. */
export const findMessageShape: FindShape = (message) => {
  const type = findMessageType(message);
  if (type === undefined) return undefined;
  const { special, byName } = planOf(type);
  if (special !== undefined) return undefined;
  return { fields: new Map([...byName.values()].map((field) => [field.jsonName, shapeOf(field)])) };
};

function shapeOf(field: FieldPlan): FieldShape {
  const { shape, type } = field;
  return { shape, message: type?.fullName.slice(1), zero: shape === 'single' ? zeroOf(field) : undefined };
}

/** Returns the default value in the JSON of decodeBody(), or undefined if the field has presence. */
function zeroOf({ type, enumType, scalar, hasPresence }: FieldPlan): FieldShape['zero'] {
  if (type !== undefined || hasPresence) return undefined;
  if (enumType !== undefined) return enumType.valuesById[0] ?? 0;
  if (scalar === 'string' || scalar === 'bytes') return '';
  if (scalar === 'bool') return false;
  return scalar.endsWith('64') ? '0' : 0;
}
