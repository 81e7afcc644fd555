import { Shell } from '@/app/_components/shell/shell';
import PermalinkNotFound from '../../[permalinkId]/not-found';

export default function SharedOutcomesNotFound() {
  return (
    <Shell>
      <PermalinkNotFound />
    </Shell>
  );
}
