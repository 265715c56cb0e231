import PetRuntime
import Testing

@Suite struct ProfileTests {
  @Test func watchTakesOneThreadAndASmallContext() {
    #expect(Profile.watch.threadCount(processors: 8, quota: nil) == 1)
    #expect(Profile.watch.contextLength == 512)
    #expect(Profile.phone.contextLength == 2048)
  }

  /// More threads than a control group grants would wait for one another.
  @Test func phoneTakesWhatItMay() {
    #expect(Profile.phone.threadCount(processors: 8, quota: nil) == 8)
    #expect(Profile.phone.threadCount(processors: 8, quota: 2.5) == 3)
    #expect(Profile.phone.threadCount(processors: 8, quota: 0.2) == 1)
    #expect(Profile.phone.threadCount(processors: 0, quota: nil) == 1)
    #expect(Profile.phone.threadCount(processors: 500, quota: nil) == 64)
  }
}
