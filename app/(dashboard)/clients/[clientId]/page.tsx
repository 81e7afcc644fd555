/** The address of a client without a tab shows its graph. */
export { default, generateMetadata } from './[tab]/page';
