package bench.echo;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.HashSet;
import java.util.Set;
import sun.misc.Signal;

/** Tells on stdout, a line of JSON each, how far the operator is. */
final class Progress {
  private final int expect;
  private long reconciles;

  /** What was reconciled successfully; null once {@code expect} of them were. */
  private Set<ResourceID> done = new HashSet<>();

  Progress(int expect) {
    this.expect = expect;
    Signal.handle(new Signal("USR2"), signal -> stats());
    tell("started");
  }

  synchronized void synced() {
    tell("synced");
    if (expect == 0) {
      done = null;
      tell("all");
    }
  }

  /** A reconcile has run; {@code key} of the object that is as it should be now, or null. */
  synchronized void reconciled(ResourceID key) {
    reconciles++;
    if (reconciles == 1) {
      tell("first");
    }
    if (done == null || key == null) {
      return;
    }
    done.add(key);
    if (expect > 0 && done.size() == expect) {
      done = null;
      tell("all");
    }
  }

  private synchronized void stats() {
    write("{\"event\":\"stats\",\"reconciles\":" + reconciles + "}");
  }

  private static void tell(String event) {
    write("{\"event\":\"" + event + "\"}");
  }

  private static void write(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
