import { formatAddress } from '@/lib/model/address';
import { adminFields } from './admin-fields';

/** An address on which a listener of Envoy listens, as /listeners reports it. */
export interface ListenerReport {
  readonly id: string;
  readonly name: string;
  readonly address: string;
}

/** Reads the answer of /listeners. Envoy makes up names of listeners without a name: these change. */
export function readListeners(json: unknown): ListenerReport[] {
  return adminFields(json)
    .objects('listenerStatuses')
    .flatMap((listener) => {
      const name = listener.string('name');
      const addresses = [listener.object('localAddress'), ...listener.objects('additionalLocalAddresses')];
      return addresses.flatMap((each) => {
        const address = formatAddress(each);
        return address === '' ? [] : [{ id: `listener ${name} ${address}`, name, address }];
      });
    });
}
