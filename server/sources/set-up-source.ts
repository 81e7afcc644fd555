import type { NewSource } from '@/lib/views/sources/schema';
import type { AllCredentials } from '../collect/source-kind/named-credentials';
import { sourceIdOf } from '../collect/source-kind/source-kind';
import { findKind, type SourceSetup } from './source-kinds';

/** A source that was requested in the browser or by API, ready to start. */
export interface ReadySource {
  readonly id: string;
  readonly kind: NewSource['kind'];
  readonly target: string;
  readonly setup: SourceSetup;
  /** Fields of its bootstrap that name files or unix sockets, and are ignored. */
  readonly ignored: readonly string[];
}

/** Throws SettingError with the field of the request. */
export function setUpSource(input: NewSource, credentials: AllCredentials = new Map()): ReadySource {
  const { kind } = input;
  const requested = findKind(kind).setUp?.(input, credentials);
  if (requested === undefined) throw new Error(`sources of kind ${kind} are not added by request`);
  const { target, variant, setup, ignored = [] } = requested;
  return { id: sourceIdOf(kind, target, variant), kind, target, setup, ignored };
}
