package bench.echo;

import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import sun.misc.Signal;

/** The Echo operator with the Java Operator SDK. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    var progress = new Progress(Integer.parseInt(System.getenv().getOrDefault("EXPECT", "0")));
    var lease = System.getenv().getOrDefault("LEASE", "");
    var stopping = new AtomicBoolean();
    var operator =
        new Operator(
            overrider -> {
              overrider
                  .withConcurrentReconciliationThreads(8)
                  .withReconciliationTerminationTimeout(Duration.ofSeconds(5));
              if (!lease.isEmpty()) {
                overrider.withLeaderElectionConfiguration(election(lease, progress, stopping));
              }
            });
    Signal.handle(
        new Signal("TERM"),
        signal -> {
          stopping.set(true);
          operator.stop();
          System.exit(0);
        });
    operator.register(
        new EchoReconciler(progress), overrider -> overrider.withItemStore(new StrippedStore<Echo>()));
    operator.start();
    if (lease.isEmpty()) {
      progress.synced();
    }
  }

  /** Caches are full, followers' too, when a process becomes the leader. */
  private static LeaderElectionConfiguration election(
      String lease, Progress progress, AtomicBoolean stopping) {
    var namespaceAndName = lease.split("/", 2);
    Runnable lost =
        () -> {
          if (!stopping.get()) {
            System.exit(1);
          }
        };
    return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(namespaceAndName[1])
        .withLeaseNamespace(namespaceAndName[0])
        .withLeaseDuration(Duration.ofSeconds(15))
        .withRenewDeadline(Duration.ofSeconds(10))
        .withRetryPeriod(Duration.ofSeconds(2))
        .withExitOnStopLeading(false)
        .withLeaderCallbacks(new LeaderCallbacks(progress::synced, lost, leader -> {}))
        .build();
  }
}
