import type { MessagePort } from 'node:worker_threads';
import type { UserType } from '../../codec/codec';
import type { SourceNews } from '../collector/source-messages';
import type { RecordedClient } from './recorded-stream';
import type { ListenerNews } from './tap-counters';
import type { TapSettings } from './tap-settings';

/** The commands to the relay thread. The number `tap` is never reused. */
export type RelayCommand =
  | { readonly kind: 'open'; readonly tap: number; readonly settings: TapSettings }
  /** Stops copying. Streams continue. */
  | { readonly kind: 'pause'; readonly tap: number }
  | { readonly kind: 'resume'; readonly tap: number }
  | { readonly kind: 'close'; readonly tap: number }
  /** Copies are sent to this port. */
  | { readonly kind: 'recorder'; readonly port: MessagePort }
  | { readonly kind: 'recorder-lost' };

export type RelayNews =
  | { readonly kind: 'news'; readonly tap: number; readonly news: ListenerNews }
  /** The tap is closed. The ends of its streams are in transit to the recording thread. */
  | { readonly kind: 'closed'; readonly tap: number };

/** The commands to the recording thread. */
export type RecordingCommand =
  | { readonly kind: 'tap'; readonly tap: number; readonly sourceId: string }
  | { readonly kind: 'client'; readonly tap: number; readonly client: RecordedClient }
  | { readonly kind: 'copies'; readonly port: MessagePort }
  | { readonly kind: 'types'; readonly types: readonly UserType[] }
  /** Acknowledges the oldest unacknowledged message, other than notes. */
  | { readonly kind: 'taken' };

/** A tap is a source, which is closed once everything of it has been reported. */
export type RecordingNews =
  | Extract<SourceNews, { kind: 'emission' | 'closed' }>
  | { readonly kind: 'note'; readonly tap: number; readonly note: string };

/** The part of the taps that a thread of the program `tap` has, beside the data of that part. */
export interface TapProgramData {
  readonly role: 'relay' | 'recording';
}
