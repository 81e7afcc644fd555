import type { DescriptorSet } from '@/lib/views/sources/descriptor-set-schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import { redactMessage } from '../../codec/secrets/redact-message';
import type { DescriptorSets } from '../descriptor-sets/descriptor-sets';

export class DescriptorSetsApi {
  readonly #sets: DescriptorSets;

  constructor(sets: DescriptorSets) {
    this.#sets = sets;
  }

  list(): DescriptorSet[] {
    return this.#sets.list();
  }

  async add(name: string, bytes: Uint8Array): Promise<DescriptorSet> {
    const label = redactMessage(name.trim()).slice(0, 200);
    const added = await this.#sets.add(label === '' ? 'descriptor set' : label, bytes);
    if (!added.ok) throw badRequest(`descriptor set: ${added.reason}`);
    return added.set;
  }

  async remove(id: string): Promise<void> {
    const known = this.#sets.list().find((set) => set.id === id);
    if (known === undefined)
      throw notFound('Descriptor set', `no descriptor set has the id ${JSON.stringify(id)}`);
    if (known.origin !== 'browser') {
      throw new ApiError(
        409,
        'Descriptor set of a flag',
        `${known.name} is reported by --descriptor-set: leave it out there`,
      );
    }
    await this.#sets.remove(id);
  }
}
