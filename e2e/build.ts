import { build, isBuilt } from '../bin/build.mjs';

/** Builds the pages once, before any worker starts a server on them. */
export default function setup(): void {
  if (!isBuilt() && !build()) throw new Error('The pages could not be built.');
}
