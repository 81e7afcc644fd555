import type { Delivery } from './delivery';
import type { TypeNonces } from './nonce-index';
import type { Subscription } from './subscription';

export interface TypeDeliveries {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  readonly deliveries: ReadonlyMap<string, Delivery>;
  readonly nonces: TypeNonces;
}
